"""Why a certificate's proof can't be made from the log any more: one cause a class, each with what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import CodedError


class NoProofError(CodedError):
    """Why a certificate's proof can't be made from the log, with what to do about it."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "audit.certificate_end_missing": (
            500,
            (
                "The log does not hold the event that ended this run, {event}. No part of Glassbox removes an event: "
                "verify the log."
            ),
        ),
        "audit.certificate_log_too_short": (
            500,
            (
                "The certificate names a log of {size} entries, but the log has only {largest} now: it was cut off. "
                "Verify it."
            ),
        ),
        "audit.certificate_leaf_missing": (
            500,
            (
                "The event that ended this run, {event}, is not among the first {size} entries of the log, where it "
                "was when the certificate was issued. Verify the log."
            ),
        ),
        "audit.certificate_checkpoint_missing": (
            500,
            (
                "The log does not hold its signed checkpoint of {size} entries, which the certificate names. Verify "
                "the log."
            ),
        ),
        # Nothing is wrong: with a tenant goes what its log says, also of how earlier runs ended.
        "audit.certificate_end_emptied": (
            410,
            (
                "The log's record of the end of this run was removed with all contents of the log, because the tenant "
                "itself is being erased or has been erased (event {by}). Only a certificate file that was downloaded "
                "before then still shows it: check that file with manage.py erasure verify-certificate."
            ),
        ),
        "audit.certificate_content_missing": (
            500,
            (
                "The event that ended this run, {event}, exists, but its content is gone and no event of the log says "
                "why. Verify the log."
            ),
        ),
        "audit.certificate_key_missing": (
            500,
            (
                "The key that sealed the end of this run, {key}, is gone, but the sealed content still exists. Keys "
                "are removed last: verify the log."
            ),
        ),
        "audit.certificate_key_damaged": (
            500,
            (
                "The key that sealed the end of this run, {key}, can't be unwrapped: it was changed, or a different "
                "key-encryption key has that name now. Check GLASSBOX_AUDIT_KEKS and verify the log."
            ),
        ),
        "audit.certificate_content_damaged": (
            500,
            "The content of the event that ended this run, {event}, can't be opened: {problem}. Verify the log.",
        ),
    }
