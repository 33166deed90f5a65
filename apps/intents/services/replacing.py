"""A step during which another version comes into force: by its time, or because somebody approves it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction

from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import ReplacedMeanwhileError
from apps.intents.models import PolicyVersion
from apps.intents.selectors import policy_in_force


@contextmanager
def against(in_force: PolicySnapshot, version: PolicyVersion) -> Iterator[None]:
    """Take a step of a version that was checked against the one in force.

    The database checks it against what is in force when it writes, which may be another version by then: it refuses the
    step, and the refusal is told as what it is.

    Raises: ReplacedMeanwhileError; IntegrityError, if the same version is in force.
    """
    number = version.number
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        now = policy_in_force()
        if now.version_id == in_force.version_id:
            raise
        raise ReplacedMeanwhileError(number=number, in_force=now.number) from error
