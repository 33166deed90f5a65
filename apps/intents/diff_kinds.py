"""A change of a policy as a sentence, and the changes of one kind of document. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.corpus.kinds import Right
from apps.intents.contracts import KindBudget
from apps.intents.diff_words import listed, quoted

_NOW: Final[Mapping[Right, str]] = {
    Right.UPLOAD: "{name} may now be uploaded by",
    Right.CORRECT: "Documents of {name} may now be corrected by",
    Right.REMOVE: "The removal of documents of {name} may now be proposed by",
}
_EVERYBODY: Final[Mapping[Right, str]] = {
    Right.UPLOAD: "everybody who may add documents",
    Right.CORRECT: "whoever may upload them",
    Right.REMOVE: "everybody who may propose removals",
}


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
    for right in Right:
        if after.named_for(right) != before.named_for(right):
            sentence = f"{_NOW[right].format(name=name)} {holders_in_words(after, right)}."
            yield PolicyChange(kind=_of_right(before, after, right), sentence=sentence)
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


def holders_in_words(budget: KindBudget, right: Right) -> str:
    return listed([f"{role.label}s".lower() for role in budget.named_for(right)]) or _EVERYBODY[right]


def _of_right(before: KindBudget, after: KindBudget, right: Right) -> ChangeKind:
    """Return whether more have the right, or fewer."""
    then, now = before.holders_of(right), after.holders_of(right)
    if now > then:
        return ChangeKind.WIDENS
    return ChangeKind.NARROWS if now < then else ChangeKind.OTHER


def _other(sentence: str) -> PolicyChange:
    return PolicyChange(kind=ChangeKind.OTHER, sentence=sentence)
