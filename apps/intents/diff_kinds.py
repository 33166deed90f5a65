"""A change of a policy as a sentence, and the changes of one kind of document. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from apps.intents.contracts import KindBudget
from apps.intents.diff_words import listed, quoted


class ChangeKind(StrEnum):
    """Whether questions can reach more, can reach less, or something else changes. The order is that of importance."""

    WIDENS = "widens"
    NARROWS = "narrows"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChange:
    """One change as a sentence. `intent` is the name of the intent that changes, UNRECOGNISED for the fallback, or None
    if the change concerns all intents."""

    kind: ChangeKind
    sentence: str
    intent: str | None = None


def kind_changes(before: KindBudget, after: KindBudget) -> Iterator[PolicyChange]:
    """Yield what changes of a kind that both policies have, access first."""
    name = after.kind.label
    if after.uploaders != before.uploaders:
        yield PolicyChange(
            kind=_of_uploaders(before, after), sentence=f"{name} may now be uploaded by {uploaders_in_words(after)}."
        )
    if after.retired and not before.retired:
        sentence = f"{name} is retired: nothing more is uploaded as such, and its documents stay."
        yield PolicyChange(kind=ChangeKind.NARROWS, sentence=sentence)
    if before.retired and not after.retired:
        yield PolicyChange(kind=ChangeKind.WIDENS, sentence=f"{name} is no longer retired: it may be uploaded again.")
    if after.kind.label != before.kind.label:
        yield _other(f"{before.kind.label} is now called {quoted(name)}; its documents keep their key.")
    if after.cap_chars != before.cap_chars:
        yield _other(f"The cap of {name} goes from {before.cap_chars:,} to {after.cap_chars:,} characters.")
    if after.label != before.label:
        yield _other(f"The heading of {name} is now {quoted(after.label)}.")
    if after.description != before.description:
        now = f"now reads: {quoted(after.description)}" if after.description else "was removed."
        yield _other(f"The description of {name} {now}")
    if after.examples != before.examples:
        now = ", ".join(map(quoted, after.examples)) or "none"
        yield _other(f"The examples of {name} are now: {now}.")
    if after.retention_class is not before.retention_class:
        then, now = quoted(str(before.retention_class.label)), quoted(str(after.retention_class.label))
        yield _other(f"{name} is now kept as {now} by the retention schedule; it was {then}.")
    if after.source_category is not before.source_category:
        now = quoted(str(after.source_category.label))
        yield _other(f"The source of {name} is now {now} where an upload does not say it.")


def uploaders_in_words(budget: KindBudget) -> str:
    return listed([f"{role.label}s".lower() for role in budget.uploaders]) or "everybody who may add documents"


def _of_uploaders(before: KindBudget, after: KindBudget) -> ChangeKind:
    """Return whether more may upload, or fewer: without roles everybody may who may add documents."""
    if not after.uploaders or (before.uploaders and set(after.uploaders) > set(before.uploaders)):
        return ChangeKind.WIDENS
    if not before.uploaders or set(after.uploaders) < set(before.uploaders):
        return ChangeKind.NARROWS
    return ChangeKind.OTHER


def _other(sentence: str) -> PolicyChange:
    return PolicyChange(kind=ChangeKind.OTHER, sentence=sentence)
