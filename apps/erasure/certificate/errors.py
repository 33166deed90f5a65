"""Why a certificate's proof can't be made from the log any more: one cause a class, each with what to do about it."""

from __future__ import annotations

from apps.errors import ApplicationError


class NoProofError(ApplicationError):
    """The base of them. What the log lacks, `manage.py audit verify` names too, but for EndEmptiedError."""

    code = "audit.certificate_no_proof"
    status = 500
    message = "The proof of the certificate can't be made from the log."


class EndMissingError(NoProofError):
    code = "audit.certificate_end_missing"
    message = (
        "The log does not hold the event that ended this run, {event}. No part of Glassbox removes an event: verify "
        "the log."
    )


class LogTooShortError(NoProofError):
    code = "audit.certificate_log_too_short"
    message = (
        "The certificate names a log of {size} entries, but the log has only {largest} now: it was cut off. Verify it."
    )


class LeafMissingError(NoProofError):
    code = "audit.certificate_leaf_missing"
    message = (
        "The event that ended this run, {event}, is not among the first {size} entries of the log, where it was when "
        "the certificate was issued. Verify the log."
    )


class CheckpointMissingError(NoProofError):
    code = "audit.certificate_checkpoint_missing"
    message = (
        "The log does not hold its signed checkpoint of {size} entries, which the certificate names. Verify the log."
    )


class EndEmptiedError(NoProofError):
    """Nothing is wrong: with a tenant goes what its log says, also of how earlier runs ended."""

    code = "audit.certificate_end_emptied"
    status = 410
    message = (
        "The log's record of the end of this run was removed with all contents of the log, because the tenant itself "
        "is being erased or has been erased (event {by}). Only a certificate file that was downloaded before then "
        "still shows it: check that file with manage.py erasure verify-certificate."
    )


class ContentMissingError(NoProofError):
    code = "audit.certificate_content_missing"
    message = (
        "The event that ended this run, {event}, exists, but its content is gone and no event of the log says why. "
        "Verify the log."
    )


class KeyMissingError(NoProofError):
    code = "audit.certificate_key_missing"
    message = (
        "The key that sealed the end of this run, {key}, is gone, but the sealed content still exists. Keys are "
        "removed last: verify the log."
    )


class KeyDamagedError(NoProofError):
    code = "audit.certificate_key_damaged"
    message = (
        "The key that sealed the end of this run, {key}, can't be unwrapped: it was changed, or a different "
        "key-encryption key has that name now. Check GLASSBOX_AUDIT_KEKS and verify the log."
    )


class ContentDamagedError(NoProofError):
    code = "audit.certificate_content_damaged"
    message = "The content of the event that ended this run, {event}, can't be opened: {problem}. Verify the log."
