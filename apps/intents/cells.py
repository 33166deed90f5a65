"""The cells of a policy that somebody can speak of: an intent's reach of a kind, a whole intent, or a kind. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from apps.intents.contracts import FALLBACK_NAME, FallbackRule, IntentRule, KindBudget, PolicySnapshot

ABSENT: Final = "absent"
_PERMITTED, _WITHHELD, _NOTHING = "permitted", "withheld", "nothing"


@dataclass(frozen=True, slots=True)
class Cell:
    """intent: its short name. kind: its key. Without a kind it is the intent's row; without both, the whole version."""

    intent: str = ""
    kind: str = ""

    @property
    def is_whole(self) -> bool:
        return not self.intent and not self.kind

    def __str__(self) -> str:
        return f"{self.intent}/{self.kind}" if not self.is_whole else ""


WHOLE: Final = Cell()


def cell_from(text: str) -> Cell:
    """Return the cell that str() of it gave; another text is the whole version."""
    intent, slash, kind = text.partition("/")
    return Cell(intent, kind) if slash else WHOLE


def cells_of(*policies: PolicySnapshot) -> dict[Cell, str]:
    """Return every cell of the policies with its words, intents first; a later policy's words count."""
    intents: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for policy in policies:
        intents |= {rule.name: rule.label for rule in policy.intents}
        kinds |= {budget.kind.value: budget.kind.label for budget in policy.budgets}
    for policy in policies:
        intents.pop(FALLBACK_NAME, None)
        intents[FALLBACK_NAME] = policy.fallback.label
    return {
        **{Cell(name, kind): f"{intents[name]}: {kinds[kind]}" for name in intents for kind in kinds},
        **{Cell(name): f"{label}, the whole intent" for name, label in intents.items()},
        **{Cell(kind=kind): f"{label}: cap and priority" for kind, label in kinds.items()},
    }


def cell_stands(policy: PolicySnapshot, cell: Cell) -> str:
    """Return how a cell stands, as a text that differs when the cell does. sql/discussion.sql tells the same."""
    budget = _budget(policy, cell.kind)
    if cell.kind and budget is None:
        return ABSENT
    if not cell.intent:
        return f"{budget.cap_chars}/{budget.position}" if budget else ""
    rule = _rule(policy, cell.intent)
    if rule is None:
        return ABSENT
    if not cell.kind:
        return ",".join(sorted(kind.value for kind in rule.kinds)) or _NOTHING
    return _PERMITTED if cell.kind in rule.kinds else _WITHHELD


def stands_in_words(stood: str, policy: PolicySnapshot) -> str:
    """Return how a cell stood, as a part of a sentence; kinds by the names that the policy gives them."""
    if stood == ABSENT:
        return "not there"
    if stood in (_PERMITTED, _WITHHELD):
        return stood
    cap, slash, position = stood.partition("/")
    if slash:
        return f"{int(cap):,} characters, priority {position}"
    if stood == _NOTHING:
        return "reaching nothing"
    names = {kind.value: kind.label for kind in policy.kinds}
    return f"reaching {', '.join(names.get(key, key) for key in stood.split(','))}"


def _budget(policy: PolicySnapshot, kind: str) -> KindBudget | None:
    return next((budget for budget in policy.budgets if budget.kind == kind), None)


def _rule(policy: PolicySnapshot, name: str) -> IntentRule | FallbackRule | None:
    return policy.fallback if name == FALLBACK_NAME else policy.intent(name)
