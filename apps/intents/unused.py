"""Point out what of a policy is of no use: intents that nobody asks for, kinds without readers or documents. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from apps.intents.contracts import PolicySnapshot
from apps.intents.registry import Traffic

# Fewer questions say little about an intent.
_ENOUGH_QUESTIONS = 20


def unused_parts(policy: PolicySnapshot, documents: Mapping[str, int], traffic: Traffic | None) -> Iterator[str]:
    """Yield a sentence for each sort of part that nobody uses.

    Args: documents: how many the reader sees of each kind. traffic: None for a reader who may not read the log.
    """
    reached = {kind for rule in policy.reaches for kind in rule.kinds}
    budgets = sorted(policy.budgets, key=lambda budget: budget.position)
    lost = [each for each in budgets if each.kind not in reached]
    if lost:
        told = (f"{each.name or each.kind.label} ({_documents(documents.get(each.kind, 0))})" for each in lost)
        yield f"No question reaches documents of: {', '.join(told)}."
    empty = [each.name or each.kind.label for each in budgets if not each.retired and not documents.get(each.kind)]
    if empty:
        yield f"In your scopes there are no documents of: {', '.join(empty)}."
    if traffic is None or traffic.since is None:
        return
    silent = [rule.label for rule in policy.intents if not traffic.by_intent.get(rule.name)]
    if silent and traffic.questions < _ENOUGH_QUESTIONS:
        yield f"Only {_questions(traffic.questions)} were asked so far: too few to say which intents nobody needs."
    elif silent:
        since = f"{traffic.since:%-d %B %Y}"
        yield f"None of the last {_questions(traffic.questions)}, since {since}, had the intent: {', '.join(silent)}."


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count:,} documents"


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count:,} questions"
