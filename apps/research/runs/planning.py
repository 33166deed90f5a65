"""Read a question for its plan, by rules: whom it names, which periods, which parts, and what to ask of each.

Only what the gate granted is planned. Companies and periods are those that the question's analysis resolved against
what is held, each company's periods from its own documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final
from uuid import UUID

from apps.research.models import RunMode
from apps.research.runs.contracts import CompanyPlan, Plan, SubQuestion
from apps.research.runs.limits import BUDGETS, CELLS_MOST
from apps.research.runs.modes import choose_mode
from apps.retrieval.contracts import FilterField, InventoryEntry, QueryAnalysis, SearchBounds
from apps.retrieval.pipeline import ReadResult
from apps.retrieval.retrievers.documents import reachable
from apps.retrieval.stages.question.companies import read_companies

_COMPARING: Final = re.compile(r"\b(compare|comparison|versus|vs|contrast|vergleich\w*|gegenüber)\b", re.IGNORECASE)
_EXPLAINING: Final = re.compile(r"\b(why|how|explain|reasons?|warum|wieso|wie|erkläre?n?|gründe?)\b", re.IGNORECASE)
# What is left where names were taken out of a sentence.
_DANGLING: Final = frozenset(
    {"of", "and", "or", "the", "for", "at", "in", "with", "between", "versus", "vs"}
    | {"von", "und", "oder", "der", "die", "das", "des", "mit", "zwischen", "bei", "für"}
)
_STOPS: Final = re.compile(r"([?.,;])")
_LEADING: Final = re.compile(r"^\s*(please\s+)?(compare|contrast|vergleiche?n?\s*(sie)?)\s+", re.IGNORECASE)
_PARTS: Final = re.compile(r"(?<=[?])\s+|\s*;\s+")
_WHOLE: Final = "whole"
_LEFT_OUT: Final = "Left out, because by itself it is no question of the intent {intent}: “{part}”. Ask it by itself."


def make_plan(
    read: ReadResult, text: str, mode: RunMode | None = None, *, permitted: Sequence[RunMode] = tuple(RunMode)
) -> tuple[Plan, RunMode]:
    """Return the plan of a question, and the mode: the one asked for, or the nearest to what the plan suggests.

    Args: permitted: by the policy, for the question's intent.
    """
    analysis, entries = read.analysis, read.inventory.entries
    text, left_out = _of_intent(read, text)
    companies = _companies(analysis, entries, text if left_out else "")
    parts = _parts(analysis, _without_names(text, entries), text if left_out else "")
    about = companies or (_no_company(analysis),)
    total = len(parts) * sum(len(each.periods) or 1 for each in about)
    cells = list(islice(_cells(about, parts, analysis), CELLS_MOST))
    suggested = _suggested(total)
    chosen = mode or choose_mode(suggested, permitted)
    if total == 1 or chosen is RunMode.DIRECT:
        cells = [_as_asked(cells[0] if total == 1 else SubQuestion(key=_WHOLE, text=text), text)]
    most = min(CELLS_MOST, BUDGETS[chosen].searches)
    notices = [*analysis.notices, *(each.reason for each in analysis.relaxed)]
    notices += [_LEFT_OUT.format(part=each, intent=read.decision.label) for each in left_out]
    if mode is None and chosen is not suggested:
        notices.append(
            f"The mode {suggested.label} would fit the question. The policy does not permit it for this intent, so it "
            f"is {chosen.label}."
        )
    if len(cells) > 1 and total > most:
        notices.append(f"The question has {total} parts; the budget of this mode reaches for {most}.")
        cells = cells[:most]
    withheld = tuple(kind.value for kind in read.grant.withheld)
    needed = tuple(kind.label for kind in read.grant.permitted if any(each.kind == kind for each in entries))
    plan = Plan(
        topic=", ".join(parts) if analysis.figures else analysis.search_text or text,
        question_type=_type(text, analysis, companies),
        language=analysis.language,
        companies=companies,
        periods_said=tuple(each.reason for each in analysis.filters if each.field is FilterField.PERIOD),
        parts=parts,
        needed=needed,
        withheld=withheld,
        suggested_mode=suggested.value,
        confidence=round(100 * max(0.0, min(1.0, read.decision.score))),
        phrases=tuple(dict.fromkeys(phrase for each in analysis.expansions for phrase in each.phrases)),
        sub_questions=tuple(cells),
        steps=tuple(_steps(cells, chosen, needed, read)),
        notices=tuple(dict.fromkeys(notices)),
        wants_number=analysis.wants_number,
    )
    return plan, chosen


def pieces_of(read: ReadResult, text: str) -> tuple[str, ...]:
    """Return the pieces of a question, as they are written, where it has several: each is classified by itself."""
    pieces = tuple(piece for piece in _PARTS.split(text) if piece.strip(" ?;"))
    return pieces if len(pieces) > 1 else ()


def _of_intent(read: ReadResult, text: str) -> tuple[str, tuple[str, ...]]:
    """Return what of a question is of its own intent, and the pieces that are not by themselves.

    Where none is, the pieces say too little: the question is then asked as a whole, as it was classified.
    """
    others = tuple(piece for piece, decision in read.parts if decision.intent != read.decision.intent)
    if not others or len(others) == len(read.parts):
        return text, ()
    kept = [piece for piece, _ in read.parts if piece not in others]
    return " ".join(piece if piece.endswith("?") else f"{piece};" for piece in kept).removesuffix(";"), others


def _companies(analysis: QueryAnalysis, entries: Sequence[InventoryEntry], within: str) -> tuple[CompanyPlan, ...]:
    """Args: within: what is left of the question; empty if all of it is."""
    left = {name for each in read_companies(within, entries).filters for name in each.values}
    tickers = {each.company: each.ticker for each in entries if each.ticker}
    return tuple(
        CompanyPlan(
            company=company,
            ticker=tickers.get(company, ""),
            periods=tuple(period.label for period in sorted(analysis.periods_of(company))),
        )
        for company in analysis.companies_named
        if not within or company in left
    )


def _without_names(text: str, entries: Sequence[InventoryEntry]) -> str:
    rest = " ".join(read_companies(text, entries).rest.split())
    rest = _LEADING.sub("", rest)
    return "".join(_without_dangling(each) for each in _STOPS.split(rest)).strip(" ,;.?") or text


def _without_dangling(piece: str) -> str:
    """Return what stands before a stop, without the words at its end that are about a name."""
    words = piece.split(" ")
    while words and (not words[-1] or words[-1].lower() in _DANGLING):
        words.pop()
    return " ".join(words)


def _parts(analysis: QueryAnalysis, rest: str, within: str) -> tuple[str, ...]:
    """Args: within: what is left of the question; empty if all of it is."""
    figures = dict.fromkeys(
        each.text for each in analysis.figures if not within or each.text.casefold() in within.casefold()
    )
    if analysis.wants_number and figures:
        return tuple(figures)
    return tuple(dict.fromkeys(part.strip(" ?") for part in _PARTS.split(rest) if part.strip(" ?"))) or (rest,)


def _no_company(analysis: QueryAnalysis) -> CompanyPlan:
    """Return the periods that a question names without a company."""
    return CompanyPlan(company="", ticker="", periods=tuple(period.label for period in sorted(analysis.periods)))


def _cells(companies: Sequence[CompanyPlan], parts: Sequence[str], analysis: QueryAnalysis) -> Iterator[SubQuestion]:
    for company in companies:
        for period, part in product(company.periods or ("",), parts):
            key = "|".join((company.company, period, part))
            text = word(part, company.company, period, language=analysis.language, number=analysis.wants_number)
            yield SubQuestion(key=key, text=text, company=company.company, period=period, part=part)


def word(part: str, company: str, period: str, *, language: str, number: bool) -> str:
    """Return a cell's question in words."""
    german = language == "de"
    if number:
        of = f" {'von' if german else 'of'} {company}" if company else ""
        within = f" in {period}" if period else ""
        return f"{'Wie hoch war' if german else 'What was the'} {part}{of}{within}?"
    named = ", ".join(each for each in (company, period) if each)
    return f"{part} ({named})?" if named else f"{part}?"


def planned_from(plan: Plan, bounds: SearchBounds) -> list[UUID]:
    """Return the documents that the periods of the plan's companies were resolved from. Costs: one query."""
    companies = [each.company for each in plan.companies]
    if not companies:
        return []
    return list(reachable(bounds).filter(company__in=companies).values_list("id", flat=True))


def _as_asked(cell: SubQuestion, text: str) -> SubQuestion:
    return SubQuestion(key=cell.key, text=text, company=cell.company, period=cell.period, part=cell.part)


def _suggested(cells: int) -> RunMode:
    for mode, most in ((RunMode.DIRECT, 1), (RunMode.STANDARD, 4), (RunMode.DETAILED, 12)):
        if cells <= most:
            return mode
    return RunMode.DEEP_SEARCH


def _type(text: str, analysis: QueryAnalysis, companies: Sequence[CompanyPlan]) -> str:
    if len(companies) > 1 or _COMPARING.search(text):
        return "comparison"
    if len(analysis.periods) > 1:
        return "trend"
    if analysis.wants_number:
        return "figure"
    return "explanation" if _EXPLAINING.search(text) else "description"


def _steps(cells: Sequence[SubQuestion], mode: RunMode, needed: Sequence[str], read: ReadResult) -> Iterator[str]:
    budget = BUDGETS[mode]
    where = ", ".join(needed) or "the permitted kinds"
    yield f"Ask {len(cells)} question{'s' if len(cells) != 1 else ''} in {where}."
    yield (
        f"Score what was found, and search for what is missing: {budget.rounds} rounds at most, until "
        f"{budget.confidence} of 100 is reached."
    )
    yield "Write the answer, with the source of every sentence, and name what was not found."
    if read.grant.withheld:
        kinds = ", ".join(kind.label for kind in read.grant.withheld)
        yield f"Not searched, because the policy withholds it for this intent: {kinds}."
