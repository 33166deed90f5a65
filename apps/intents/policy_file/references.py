"""Name a policy in a command: a version's number, a date, an instant, `active`, `baseline`, packs, or a file's path."""

from __future__ import annotations

from datetime import UTC, datetime, time
from pathlib import Path

from django.utils.dateparse import parse_date, parse_datetime

from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import UnknownPolicyReferenceError
from apps.intents.packs.catalogue import DEFAULT_PACKS, PACKS
from apps.intents.policy_file.parsing import parse_policy_file
from apps.intents.selectors import policy_in_force, policy_versions, version_snapshot


def needs_tenant(reference: str) -> bool:
    """Whether it can only be found in a tenant's tables."""
    return packs_of(reference) is None and (
        reference == "active" or reference.isdecimal() or instant_named(reference) is not None
    )


def policy_named(reference: str) -> PolicySnapshot:
    """The policy that a reference names; a date is its first instant, UTC.

    Raises: UnknownPolicyReferenceError: there is none; NoPolicyInForceError: none was in force then;
            PolicyFileError: the file can't be read; PacksCollideError;
            NoScopeError: it needs a tenant, and no scope is open.
    """
    packs = packs_of(reference)
    if packs:
        return baseline_snapshot(packs)
    if reference == "active":
        return policy_in_force()
    if reference.isdecimal():
        return _version(reference)
    instant = instant_named(reference)
    return policy_in_force(instant) if instant else parse_policy_file(file_text(reference), filename=reference)


def packs_of(reference: str) -> tuple[str, ...] | None:
    """Return the packs that a reference names: `baseline`, one by its key, or several as `fund_house+insurance`."""
    if reference == "baseline":
        return DEFAULT_PACKS
    keys = tuple(reference.split("+"))
    return keys if all(key in PACKS for key in keys) else None


def file_text(path: str) -> str:
    """Raises: UnknownPolicyReferenceError: there is no such file, or it holds something else than text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UnknownPolicyReferenceError(reference=path, problem="there is no such file") from error
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) and error.strerror else "it is not text in UTF-8"
        raise UnknownPolicyReferenceError(reference=path, problem=f"the file can't be read ({problem})") from error


def described(reference: str, snapshot: PolicySnapshot) -> str:
    """For the head of a comparison: version 3 (active); policy.py; the shipped baseline."""
    if reference == "baseline":
        return "the shipped baseline"
    packs = packs_of(reference)
    if packs:
        return f"the shipped {' and '.join(PACKS[key].name for key in packs)}"
    if not snapshot.number:
        return reference
    by_date = "" if reference.isdecimal() or reference == "active" else f", in force at {reference}"
    return f"version {snapshot.number} ({snapshot.status.replace('_', ' ')}{by_date})"


def _version(reference: str) -> PolicySnapshot:
    versions = policy_versions()
    found = versions.filter(number=int(reference)).first() if len(reference) < 10 else None
    if found is None:
        newest = versions.first()
        known = f"versions go from 1 to {newest.number}" if newest else "the tenant has no version"
        raise UnknownPolicyReferenceError(reference=reference, problem=known)
    return version_snapshot(found)


def instant_named(text: str) -> datetime | None:
    """Return the instant that a reference means, or None if it means no time."""
    try:
        instant = parse_datetime(text)
        day = None if instant else parse_date(text)
    except ValueError as error:
        raise UnknownPolicyReferenceError(reference=text, problem=f"there is no such date ({error})") from error
    if day is not None:
        return datetime.combine(day, time.min, tzinfo=UTC)
    return instant.replace(tzinfo=UTC) if instant and instant.tzinfo is None else instant
