"""What a policy becomes when its firm takes other packs: their content, and whatever its documents still need. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.corpus.kinds import Kind
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import IntentRule, KindBudget, PolicySnapshot

# In place of a kind of the packs: nobody reaches such documents, until somebody decides otherwise.
NOBODY: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsOfKind:
    """A kind of which there are documents, and how many of them the reader sees, which may be none."""

    budget: KindBudget
    documents: int

    @property
    def name(self) -> str:
        return self.budget.name or self.budget.kind.label

    @property
    def in_words(self) -> str:
        if not self.documents:
            return "documents that you may not see"
        return "1 document" if self.documents == 1 else f"{self.documents:,} documents"


def kinds_left(
    before: PolicySnapshot, packs: Sequence[str], documents: Mapping[str, int]
) -> tuple[DocumentsOfKind, ...]:
    """Return the kinds that have documents and that none of the packs defines, by priority.

    Args:   documents: how many of each kind the reader sees; 0 for one of which there are others alone.
    Raises: UnknownPackError, PacksCollideError.
    """
    there = baseline_snapshot(packs).kinds
    return tuple(
        DocumentsOfKind(budget=budget, documents=documents[budget.kind])
        for budget in sorted(before.budgets, key=lambda budget: budget.position)
        if budget.kind in documents and budget.kind not in there
    )


def kinds_redefined(before: PolicySnapshot, packs: Sequence[str]) -> tuple[KindBudget, ...]:
    """Return the kinds of a policy that the packs define too, and otherwise: theirs takes the place."""
    theirs = {budget.kind: budget for budget in baseline_snapshot(packs).budgets}
    return tuple(
        mine
        for mine in before.budgets
        if mine.kind in theirs and replace(theirs[mine.kind], position=mine.position) != mine
    )


def switch_packs(
    before: PolicySnapshot, packs: Sequence[str], documents: Mapping[str, int], goes_with: Mapping[str, str]
) -> PolicySnapshot:
    """Return a policy with the intents and kinds of the packs, in which the kinds left are kept for their documents.

    Everything else (invariants, search settings) stays as it was. A kept kind comes after those of the packs. The
    fallback never reaches it: it reaches the least.

    Args:   goes_with: for each kind left, the kind of the packs that it is reached like; NOBODY, or nothing said, has
                it retired and reached by nobody.
    Raises: UnknownPackError, PacksCollideError.
    """
    shipped = baseline_snapshot(packs)
    left = kinds_left(before, packs, documents)
    like: dict[Kind, list[Kind]] = {}
    for each in left:
        like.setdefault(Kind(goes_with.get(each.budget.kind, NOBODY)), []).append(each.budget.kind)
    kept = [
        replace(
            each.budget,
            cap_chars=min(each.budget.cap_chars, shipped.total_cap_chars),
            position=len(shipped.budgets) + number,
            retired=each.budget.retired or goes_with.get(each.budget.kind, NOBODY) == NOBODY,
        )
        for number, each in enumerate(left, start=1)
    ]

    def widened(rule: IntentRule) -> IntentRule:
        more = [kind for reached in rule.kinds for kind in like.get(reached, ())]
        return replace(rule, kinds=(*rule.kinds, *more))

    return replace(
        before,
        intents=tuple(map(widened, shipped.intents)),
        fallback=shipped.fallback,
        examples=shipped.examples,
        budgets=(*shipped.budgets, *kept),
        total_cap_chars=shipped.total_cap_chars,
        classifier=shipped.classifier,
    )


def unreached_documents(policy: PolicySnapshot, documents: Mapping[str, int]) -> tuple[DocumentsOfKind, ...]:
    """Return the kinds with documents that no intent and not the fallback reaches, by priority."""
    reached = {kind for rule in policy.reaches for kind in rule.kinds}
    return tuple(
        DocumentsOfKind(budget=budget, documents=documents[budget.kind])
        for budget in sorted(policy.budgets, key=lambda budget: budget.position)
        if budget.kind in documents and budget.kind not in reached
    )
