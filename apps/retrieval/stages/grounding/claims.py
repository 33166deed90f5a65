"""Bind each figure of a sentence to the cell or sentence of a passage in which it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apps.filings.text.bindings import is_year, years_of
from apps.filings.text.numbers import Number, NumberUnit, find_stated_scale, units_in
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.contracts import FindingType, Passage
from apps.retrieval.stages.figures.in_passages import PER_SHARE, Figure
from apps.retrieval.stages.figures.number_matching import AS_WRITTEN, Comparison, compare_numbers
from apps.retrieval.stages.figures.periods import claimed_years, is_compared, is_duration, is_from, span_of
from apps.retrieval.stages.grounding.clauses import Clause
from apps.retrieval.stages.grounding.evidence import Evidence, surroundings, years_around
from apps.retrieval.stages.grounding.rows import is_of_another_row
from apps.retrieval.stages.grounding.spoken import (
    FROM_QUESTION,
    IN_ANOTHER_ROW,
    NOWHERE,
    OF_ANOTHER_COMPANY,
    OUTFLOW,
    Bound,
    Spoken,
    reference_years,
)

_NEGATIVE_WORDS: Final = re.compile(
    r"\b(?:loss|lost|negative|deficit|decreas|declin|fell|fall|down|lower|outflow|used|paid|pays|spen[dt]|repurchas"
    r"|repaid|reduc|drop|minus|verlust|negativ|sank|fiel|gesunken|abgenommen)",
    re.IGNORECASE,
)
_RESULTS: Final = frozenset({"net income", "operating income", "income before tax", "earnings per share"})
_LOSS: Final = re.compile(r"\b(?:loss(?:es)?|deficit|\w*verlust\w*|\w*fehlbetrag)\b", re.IGNORECASE)
_PROFIT: Final = re.compile(
    r"\b(?:income|profit|earnings|surplus|\w*gewinn\w*|\w*\u00fcberschuss|\w*ergebnis)\b", re.IGNORECASE
)
_EITHER_WAY: Final = re.compile(
    r"\b(?:income|profit|earnings|result|return|margin|growth|change|flows?|cash|gain|ebit\w*|performance|yield|equity|balance"
    r"|position|surplus|net|ergebnis|gewinn|\w*\u00fcberschuss|rendite|ver\u00e4nderung|saldo|wertentwicklung)\b",
    re.IGNORECASE,
)
# A limit before a figure: at the most, or at the least.
_MOST: Final = re.compile(
    r"\b(?:at\s+most|(?:no|not)\s+(?:\w+\s+)?(?:more|higher|greater)|not\s+exceed|up|limited|maximum|below|under|less|lower|höchstens|maximal|bis\s+zu"
    r"|unter|weniger)(?:\s+(?:than|to|of|von|als|the|a|an|amount|[A-Z]{3}))*\s*[$\u20ac\u00a3]?\s*$",
    re.IGNORECASE,
)
_LEAST: Final = re.compile(
    r"(?<!not\s)(?<!no\s)\b(?:at\s+least|(?:no|not)\s+(?:\w+\s+)?(?:less|lower|fewer)|minimum|above|more|over|exceeding|mindestens|über|mehr)"
    r"(?:\s+(?:than|of|von|als|the|a|an|amount|[A-Z]{3}))*\s*[$\u20ac\u00a3]?\s*$",
    re.IGNORECASE,
)
# "The average of 714.8 and 826.1 is 770.45 million": the scale is said once.
_OF_SEVERAL: Final = re.compile(
    r"\b(?:average|mean|sum|add(?:s|ed)?\s+up|together|durchschnitt|summe|zusammen)\b", re.IGNORECASE
)
_IN_TOTAL: Final = re.compile(r"\s*(?:in\s+(?:total|all)|altogether|insgesamt)\b", re.IGNORECASE)
_IN_BRACKETS: Final = re.compile(r"\([^)]*\)")


def bind(number: Number, spoken: Spoken, before: Sequence[Bound]) -> Bound:
    """Bind a figure to the cell or sentence that says the same of the same.

    Args: before: what was bound in the sentence so far; a figure without a name of its own is of the same row.
    """
    if is_year(number):
        return bind_year(number, spoken.evidence)
    years = _years(number, spoken)
    best: Bound | None = None
    scale = find_stated_scale(spoken.text)
    for figure in spoken.evidence.figures:
        compared = compare_numbers(number, figure.number, figure.stated)
        if compared is None:
            continue
        if not compared.same and scale and not number.exponent and number.unit is NumberUnit.PLAIN:
            # "Net sales (in millions) - 2018: $32,765": the scale is said once for the row.
            compared = compare_numbers(replace(number, exponent=scale), figure.number, figure.stated) or compared
        if not compared.same and _OF_SEVERAL.search(spoken.text):
            compared = unscaled(number, figure) or compared
        objection = (
            (FindingType.NUMBER, compared.note)
            if not compared.same
            else (object_to(number, figure, spoken, years, before))
        )
        if objection is None:
            return Bound(number=number, supported=True, note=compared.note, figure=figure, ref_id=figure.ref_id)
        best = best or Bound(number=number, supported=False, type=objection[0], note=objection[1])
    if best is not None:
        return best
    asked = any((found := compare_numbers(number, each)) and found.same for each in spoken.evidence.asked)
    return Bound(number=number, supported=asked, note=FROM_QUESTION if asked else NOWHERE)


def bind_operand(number: Number, spoken: Spoken) -> tuple[Figure, ...]:
    """Return all places where an operand of a calculation may stand; the calculation as a whole names row and year."""
    return tuple(
        figure
        for figure in spoken.evidence.figures
        if (compared := _compared(number, figure))
        and compared.same
        and (number.negative == figure.number.negative or _sign_may_turn(number, figure, spoken.text))
    )


def _compared(number: Number, figure: Figure) -> Comparison | None:
    compared = compare_numbers(number, figure.number, figure.stated)
    return compared if compared and compared.same else unscaled(number, figure)


def unscaled(number: Number, figure: Figure) -> Comparison | None:
    """Compare a number without scale and currency, as it stands in a calculation, with the digits of a figure."""
    if number.exponent or number.currency or not figure.number.exponent:
        return None
    return compare_numbers(
        number, replace(figure.number, exponent=0, currency=""), replace(figure.stated, exponent=None)
    )


def bind_year(number: Number, evidence: Evidence) -> Bound:
    """Check a year. A year alone is no substantive claim, so its finding names no passage that supports the answer."""
    year = int(number.value)
    for passage in evidence.passages:
        if year == passage.chunk.document.fiscal_year or year in years_of(surroundings(passage)):
            return Bound(number=number, supported=True, note=AS_WRITTEN)
    if any(year in figure.years for figure in evidence.figures):
        return Bound(number=number, supported=True, note=AS_WRITTEN)
    asked = year in evidence.analysis.years or year in years_of(evidence.analysis.text)
    return Bound(number=number, supported=asked, note=FROM_QUESTION if asked else NOWHERE)


def _years(number: Number, spoken: Spoken) -> frozenset[int]:
    years = claimed_years(spoken.text, spoken.numbers, number, reference_years(spoken))
    if not years and not is_compared(spoken.text) and not is_from(spoken.text, number):
        return frozenset(spoken.evidence.analysis.years) or spoken.said.years
    return years


def object_to(
    number: Number, figure: Figure, spoken: Spoken, years: frozenset[int], before: Sequence[Bound]
) -> tuple[FindingType, str] | None:
    """Return why a figure with the same digits is not the one that is claimed; None if there is no objection."""
    passage = spoken.evidence.by_ref[figure.ref_id]
    if note := _of_other_value(number, figure, spoken, passage, years):
        return FindingType.NUMBER, note
    clause = spoken.clauses[number]
    if not figure.is_cell and _is_other_bound(number, figure, spoken.text):
        return FindingType.COMPARISON, "a limit of the other kind"
    if _is_of_another_result(number, figure, clause, spoken):
        return FindingType.NUMBER, "with the opposite sign in the source"
    if _is_of_another_span(number, clause, figure, spoken):
        return FindingType.NUMBER, "of another period"
    if is_of_another_company(number, passage, figure, clause.text, spoken):
        return FindingType.COMPANY, OF_ANOTHER_COMPANY
    if is_of_another_row(number, figure, spoken, before):
        return FindingType.MEASURE, IN_ANOTHER_ROW
    return None


def _is_other_bound(number: Number, figure: Figure, sentence: str) -> bool:
    """Return whether a figure is said to be the most, and the source says that it is the least, or the other way."""
    said = sentence[: number.start]
    place = figure.piece.find(figure.number.text)
    told = figure.piece[: max(place, 0)]
    return any(
        one.search(said) is not None and other.search(told) is not None
        for one, other in ((_MOST, _LEAST), (_LEAST, _MOST))
    )


def _is_of_another_result(number: Number, figure: Figure, clause: Clause, spoken: Spoken) -> bool:
    """Return whether a profit is called a loss, or a loss a profit."""
    if not figure.is_cell or not spoken.evidence.sources.label(figure).items & _RESULTS:
        return False
    is_loss = figure.number.negative or (
        _LOSS.search(figure.label_text) is not None and _PROFIT.search(figure.label_text) is None
    )
    says_loss, says_profit = _LOSS.search(clause.before) is not None, _PROFIT.search(clause.before) is not None
    if is_loss:
        return says_profit and not says_loss and not number.negative
    return says_loss and not says_profit


def _of_other_value(number: Number, figure: Figure, spoken: Spoken, passage: Passage, years: frozenset[int]) -> str:
    sentence = spoken.text
    aside = number.text.startswith("(") and sentence[: number.start].strip()
    if number.negative != figure.number.negative and not aside and not _sign_may_turn(number, figure, sentence):
        return "with the opposite sign in the source"
    if PER_SHARE.search(sentence[number.end : number.end + 20]) and not figure.per_share:
        return "not a figure per share"
    if figure.per_share and _IN_TOTAL.match(sentence, number.end):
        return "a figure per share"
    told = units_in(f"{figure.label_text}\n{figure.column}")
    if figure.is_cell and told and number.unit is NumberUnit.PLAIN and (number.currency or number.exponent):
        return f"the source says {next(iter(told)).value}"
    if figure.per_share and number.exponent and not figure.number.exponent:
        return "a figure per share, in another scale"
    if is_duration(sentence, number):
        return ""
    if years and not figure.is_cell and years <= years_of(figure.piece):
        # Which of its years a sentence means for a figure, is plain only if another figure is of the other year.
        of_others = {year for each in spoken.evidence.piece_of(figure) if _alike(each, figure) for year in each.years}
        return "of another year" if figure.years and not years & figure.years and years & of_others else ""
    if years and figure.years and not years & figure.years:
        return "of another year"
    if years and not figure.years:
        # "714.8 (2023: 826.1)": what is not of 2023 there is of another year.
        others = frozenset(year for each in spoken.evidence.piece_of(figure) for year in each.years)
        if not years & (years_around(passage) - others):
            return "of another year"
    return ""


def _alike(one: Figure, other: Figure) -> bool:
    """Return whether two figures may be of one thing at two times: both in per cent, both of one currency, or plain."""
    return (one.number.unit, one.number.currency) == (other.number.unit, other.number.currency)


def _sign_may_turn(number: Number, figure: Figure, sentence: str) -> bool:
    """Return whether a figure may be written with the other sign than in the source.

    What goes out is printed in brackets or not. What may be a gain or a loss, may turn only if the sentence says so.
    """
    label = _IN_BRACKETS.sub(" ", figure.label_text or figure.piece)
    if OUTFLOW.search(label) or (figure.is_cell and figure.number.negative and not _EITHER_WAY.search(label)):
        return True
    return not number.negative and _NEGATIVE_WORDS.search(sentence) is not None


def _is_of_another_span(number: Number, clause: Clause, figure: Figure, spoken: Spoken) -> bool:
    """Return whether a column is of another quarter, or of a longer or shorter time, than is said beside a number."""
    question = spoken.evidence.analysis
    asked = question.text if span_of(question.text) else " ".join(each.label for each in question.periods)
    own, rest = clause.text, _without_others(number, spoken)
    said = next((each for each in (own, rest) if span_of(each)), "" if years_of(rest) else asked)
    claimed = {each.period for each in read_period_mentions(said).named if each.period.fiscal_quarter}
    told = {each.period for each in read_period_mentions(figure.column).named if each.period.fiscal_quarter}
    alone = len(claimed) == 1 and not is_from(spoken.text, number) and not is_compared(clause.text)
    if claimed and told and not claimed & told and (said is own or alone):
        return True
    spans, of_column = span_of(said), span_of(figure.column)
    if not figure.is_cell or not spans or spans & of_column:
        return False
    return bool(of_column) or any(span_of(each.column) & spans for each in spoken.evidence.row_of(figure))


def _without_others(number: Number, spoken: Spoken) -> str:
    """Return the sentence without what stands beside its other figures, so that their periods are not taken for it."""
    text = spoken.text
    for other, clause in spoken.clauses.items():
        if other is not number:
            text = text.replace(clause.behind, " ") if clause.behind.strip() else text
            text = text.replace(clause.before, " ") if clause.before.strip() and not clause.first else text
    return text


def is_of_another_company(number: Number, passage: Passage, figure: Figure, clause: str, spoken: Spoken) -> bool:
    """Return whether the passage is of another company than the ones named beside a figure.

    The names are those in the figure's clause, in the sentence, or else in the question. The row or sentence in which
    the figure stands may itself be of another company than its document.
    """
    evidence = spoken.evidence
    company = passage.chunk.document.company
    before = spoken.text[: number.start]
    named = (
        evidence.companies_named(clause)
        or evidence.companies_named(before)
        or (evidence.companies_named(spoken.text) if not spoken.said.companies else frozenset())
        or spoken.said.companies
        or evidence.asked_companies
    )
    if not company or not named or company in named:
        return False
    return not evidence.companies_named(f"{figure.piece}\n{figure.heading}") & named
