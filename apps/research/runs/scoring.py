"""Score what a run has found, without a model: the coverage of what was asked for, and what it stands on.

completeness  how many cells of the plan have an answer
specificity   how many of the answers name their company and period, and a number where one was asked for
accuracy      how many of the answers stand in their sources
clarity       how many of the answers are about what was asked, and degraded in no part
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from apps.research.runs.contracts import Plan, Score, SearchContent, SubQuestion
from apps.retrieval.contracts import GroundingStatus, RelevanceStatus

_WEIGHTS: Final = {"completeness": 0.4, "specificity": 0.2, "accuracy": 0.25, "clarity": 0.15}
_DIGIT: Final = re.compile(r"\d")

Best = Mapping[str, SearchContent]


def best_of(plan: Plan, found: Sequence[SearchContent]) -> dict[str, SearchContent]:
    """Return the answer of each cell: the first that answers it, which no later one replaces; else the last."""
    best: dict[str, SearchContent] = {}
    for each in found:
        held = best.get(each.key)
        if held is None or not held.is_answered:
            best[each.key] = each
    return {cell.key: best[cell.key] for cell in plan.sub_questions if cell.key in best}


def score(plan: Plan, best: Best) -> tuple[tuple[Score, ...], int]:
    """Return the four scores and the confidence, all 0 to 100."""
    cells = plan.sub_questions
    answered = [cell for cell in cells if cell.key in best and best[cell.key].is_answered]
    special = [cell for cell in answered if _is_specific(cell, best[cell.key], number=plan.wants_number)]
    grounded = [cell for cell in answered if best[cell.key].answer.grounding is GroundingStatus.GROUNDED]
    clear = [cell for cell in answered if _is_clear(best[cell.key])]
    scores = (
        _score("completeness", len(answered), len(cells), "parts have an answer"),
        _score("specificity", len(special), len(answered), "answers name their company, period and figure"),
        _score("accuracy", len(grounded), len(answered), "answers stand in their sources in every statement"),
        _score("clarity", len(clear), len(answered), "answers are wholly about what was asked"),
    )
    return scores, round(sum(_WEIGHTS[each.name] * each.value for each in scores))


def gap_of(cell: SubQuestion, best: Best) -> str:
    """Return what is missing of a cell, in words; empty if nothing is."""
    found = best.get(cell.key)
    if found is not None and found.is_answered:
        return ""
    named = " ".join(each for each in (cell.part, f"of {cell.company}" if cell.company else "", cell.period) if each)
    about = named or cell.text
    if found is None:
        return f"Not asked: {about}."
    answer = found.answer
    if answer.refusal is not None:
        return f"Not found: {about}. {answer.refusal.message}"
    missing = ", ".join(answer.relevance.missing) if answer.relevance else ""
    return f"Not clearly answered: {about}{f' (missing: {missing})' if missing else ''}."


def _is_specific(cell: SubQuestion, found: SearchContent, *, number: bool) -> bool:
    answer = found.answer
    text = " ".join((answer.text, *(f"{each.document_title} {each.quote} {each.columns}" for each in answer.citations)))
    names_company = not cell.company or any(word.lower() in text.lower() for word in cell.company.split()[:1])
    year = re.search(r"\d{4}", cell.period)
    names_period = year is None or year.group() in text
    return names_company and names_period and (not number or bool(_DIGIT.search(answer.text)))


def _is_clear(found: SearchContent) -> bool:
    relevance = found.answer.relevance
    return bool(relevance and relevance.status is RelevanceStatus.FULL) and not found.answer.degraded


def _score(name: str, part: int, whole: int, words: str) -> Score:
    return Score(name=name, value=round(100 * part / whole) if whole else 0, reason=f"{part} of {whole} {words}.")
