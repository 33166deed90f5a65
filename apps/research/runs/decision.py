"""Decide what a run does next, from its plan and its recorded steps alone: the same steps lead to the same next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.filings.vocabulary.concepts import concepts, find_in_text
from apps.research.runs.contracts import Budget, Plan, ScoreContent, SearchContent, SubQuestion
from apps.research.runs.planning import word
from apps.research.runs.scoring import best_of, gap_of, score

_NAMES_MOST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Ask this next."""

    round: int
    cell: SubQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRound:
    content: ScoreContent


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Write the answer. by: confidence, sufficient, rounds, no_new_phrase, or budget."""

    by: str


Next = Search | ScoreRound | Finish


def decide(
    plan: Plan,
    budget: Budget,
    found: Sequence[SearchContent],
    scored: Sequence[ScoreContent],
    *,
    spent_up: bool = False,
) -> Next:
    """Return the next step.

    Args: found: what was asked so far, in order. scored: the rounds that were scored, in order.
          spent_up: no search, token or second of the budget is left.
    """
    asked = {(each.key, each.attempt) for each in found}
    seen = {each.key for each in found}
    again = scored[-1].next if scored else ()
    round_ = scored[-1].round + bool(again) if scored else 1
    # What was erased, or lies in a scope that was taken away, is asked for again in what is left.
    wanted = (*(cell for cell in plan.sub_questions if cell.key not in seen), *again)
    missing = [cell for cell in wanted if (cell.key, cell.attempt) not in asked]
    if missing and not spent_up:
        return Search(round=round_, cell=missing[0])
    if scored and scored[-1].round >= round_:
        return Finish(by=scored[-1].decision)
    return ScoreRound(content=score_round(plan, budget, found, round_, spent_up=spent_up))


def score_round(
    plan: Plan, budget: Budget, found: Sequence[SearchContent], round_: int, *, spent_up: bool
) -> ScoreContent:
    """Return the scores of a round, what is missing, and what to ask in the next one."""
    best = best_of(plan, found)
    scores, confidence = score(plan, best)
    gaps = tuple(gap for cell in plan.sub_questions if (gap := gap_of(cell, best)))
    follow = follow_ups(plan, found)
    if confidence >= budget.confidence:
        by = "confidence"
    elif not gaps:
        by = "sufficient"
    elif round_ >= budget.rounds:
        by = "rounds"
    elif spent_up:
        by = "budget"
    elif not follow:
        by = "no_new_phrase"
    else:
        by = "again"
    return ScoreContent(
        round=round_,
        scores=scores,
        confidence=confidence,
        gaps=gaps,
        next=follow if by == "again" else (),
        decision=by,
    )


def follow_ups(plan: Plan, found: Sequence[SearchContent]) -> tuple[SubQuestion, ...]:
    """Return a new wording for each cell without an answer, where there is one that was not asked before."""
    best = best_of(plan, found)
    last = {each.key: each.attempt for each in sorted(found, key=lambda each: each.attempt)}
    said = {" ".join(each.text.lower().split()) for each in found}
    follow = []
    for cell in plan.sub_questions:
        if not gap_of(cell, best):
            continue
        for text in _wordings(plan, cell):
            if " ".join(text.lower().split()) not in said:
                follow.append(replace(cell, text=text, attempt=last.get(cell.key, 0) + 1))
                break
    return tuple(follow)


def _wordings(plan: Plan, cell: SubQuestion) -> list[str]:
    """Return the wordings of a cell.

    None asks for another part of the question, nor without the names in it: that answer would pass for this one's. A
    question that is asked as it is has no other wording.
    """
    if not cell.part:
        return []
    named = [each for each in (cell.company, cell.period) if each]
    part = cell.part
    texts = [word(part, cell.company, cell.period, language=plan.language, number=plan.wants_number)]
    texts.append(" ".join([part, *named]))
    texts.extend(
        word(phrase, cell.company, cell.period, language=plan.language, number=plan.wants_number)
        for phrase in _other_names(part, plan)
    )
    return texts


def _other_names(part: str, plan: Plan) -> Iterator[str]:
    """Yield what else a part is called: by the question's glossary, and by the vocabulary of figures."""
    asked = {each.concept.name for each in find_in_text(part)}
    for phrase in plan.phrases:
        named = {each.concept.name for each in find_in_text(phrase)}
        is_same = named == asked if asked else len(plan.parts) <= 1
        if is_same and phrase.lower() not in part.lower():
            yield phrase
    if len(asked) == 1:
        concept = concepts()[next(iter(asked))]
        in_language = [each for each in concept.labels if (each in concept.german) is (plan.language == "de")]
        yield from (label for label in in_language[:_NAMES_MOST] if label.lower() != part.lower())
