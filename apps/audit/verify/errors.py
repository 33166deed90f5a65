from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import CodedError


class VerificationError(CodedError):
    """Why the log can't be verified, or not at the moment, or not from the given checkpoint."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # The given checkpoint proves nothing.
        "audit.checkpoint_not_trusted": (
            400,
            ("The checkpoint can't be trusted: {problem}. Give one that a key of GLASSBOX_LOG_VERIFY_KEYS has signed."),
        ),
        "audit.checkpoint_of_another_log": (
            400,
            "The checkpoint is of {origin}, and this log is {wanted}. Give a checkpoint of this log.",
        ),
        # An export since a checkpoint can't begin beyond the end of the log, which is shorter than it once was.
        "audit.checkpoint_ahead": (
            409,
            (
                "The checkpoint has {size} leaves, and the log does not begin with them: it was cut off or written "
                "anew. Run manage.py audit verify."
            ),
        ),
        "audit.export_target": (
            409,
            "{path} is there already, or can't be written ({problem}). Name a place that does not exist yet.",
        ),
        # The outside place proves less than it did before, so no log is verified against it.
        "audit.exported_checkpoint_lost": (
            409,
            "{problem}. Look at the place that GLASSBOX_CHECKPOINT_URL names, and at who can write there.",
        ),
        # The only finding is that authorised removals are not carried out yet, so the log is verified again later.
        "audit.removal_under_way": (409, "A removal is being carried out: the log is verified again in a few minutes."),
        # The only finding is that no signed checkpoint covers the newest events, so the log is verified again later.
        "audit.checkpoint_missing": (
            409,
            "No signed checkpoint covers the newest events: the log is verified again in a few minutes.",
        ),
        "audit.verification_worker_lost": (500, "The worker was lost {attempts} times while it verified the log."),
        "audit.verification_crashed": (500, "The verification ended with an error of the program: {kind}."),
    }
