"""Check the calculations that an answer shows, or that a model says it made: operands, result and name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP
from typing import Final

from apps.filings.text.numbers import Number, NumberUnit, read_numbers, round_to
from apps.retrieval.contracts import ClaimedCalculation, FindingType
from apps.retrieval.stages.figures.calculations import CONSTANTS, Calculation, read_calculations
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.periods import claimed_years
from apps.retrieval.stages.grounding.claims import bind_operand
from apps.retrieval.stages.grounding.evidence import Evidence, Result, Said, rows_named
from apps.retrieval.stages.grounding.labels import Label, lines_named, measure_words, measures_in, parts_of
from apps.retrieval.stages.grounding.moving_words import CHANGES, calculated_terms, moving_terms
from apps.retrieval.stages.grounding.spoken import Bound, Spoken, reference_years
from apps.retrieval.stages.grounding.wording import blank_places, plain_terms, word_terms

IN_THE_ANSWER: Final = "calculated in the answer"
_CONSTANT: Final = "a constant of the calculation"
_STEP: Final = "a step of the calculation"
_OTHER_FIGURES: Final = "calculated from figures that are not in the passages"
_WRONG: Final = "the calculation does not give this result"
_OTHER_YEAR: Final = "calculated from figures of another year"
_OTHER_ROWS: Final = "calculated from other rows than it names"
_NAMES: Final = re.compile(r"[^\W\d_][\w&'\u2019,.\- ]*[^\W\d_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A calculation that was checked: what became of its numbers, and its result if it holds."""

    bound: Mapping[Number, Bound]
    result: Result | None


def check_calculation(calculation: Calculation, spoken: Spoken, years: frozenset[int]) -> Checked:
    """Check a calculation of a sentence. Results of earlier calculations may be its operands."""
    bound: dict[Number, Bound] = {}
    cells: list[tuple[Figure, ...]] = []
    carried: list[tuple[Figure, ...]] = []
    for operand in calculation.operands:
        found = bind_operand(operand, spoken)
        if found:
            cells.append(found)
            bound[operand] = Bound(number=operand, supported=True, note="as written", ref_id=found[0].ref_id)
        elif earlier := _earlier(operand, spoken.said.results):
            carried.append(earlier.operands)
            bound[operand] = Bound(number=operand, supported=True, note=IN_THE_ANSWER, ref_id=earlier.ref_id)
        elif operand.value in CONSTANTS or operand in calculation.periods:
            bound[operand] = Bound(number=operand, supported=True, note=_CONSTANT)
        else:
            bound[operand] = Bound(number=operand, supported=False, note="in no cited passage")
    number = calculation.result
    objection = _objection(calculation, bound, cells, carried, spoken, years)
    cells.extend(carried)
    ref_id = next((figure.ref_id for each in cells for figure in each), "")
    if objection is not None:
        bound[number] = Bound(number=number, supported=False, type=objection[0], note=objection[1])
        return Checked(bound=bound, result=None)
    bound[number] = Bound(number=number, supported=True, note=IN_THE_ANSWER, ref_id=ref_id)
    bound.update({each: Bound(number=each, supported=True, note=_STEP) for each in calculation.steps})
    chosen = tuple(dict.fromkeys(figure for each in cells for figure in each[:2]))
    return Checked(
        bound=bound,
        result=Result(number=number, operands=chosen, words=_words(cells, spoken), ref_id=ref_id),
    )


def claimed_results(
    calculations: Iterable[ClaimedCalculation], evidence: Evidence, said: Said
) -> Iterator[tuple[ClaimedCalculation, Checked | None]]:
    """Check what a model says that it calculated. None stands for what can't be read as a calculation."""
    language = evidence.analysis.language
    for each in calculations:
        text = f"{each.measure}: {_in_figures(each)} = {each.result}"
        found = read_calculations(text, language)
        if len(found) != 1:
            yield each, None
            continue
        numbers = read_numbers(text, language)
        spoken = Spoken(text=text, numbers=numbers, clauses={}, evidence=evidence, said=said)
        checked = check_calculation(found[0], spoken, frozenset())
        if checked.result is not None:
            said.results.append(checked.result)
        yield each, checked


def find_result(number: Number, results: Iterable[Result]) -> Result | None:
    """Return the result that a figure repeats, to the places to which it is written."""
    return next((each for each in results if _repeats(number, each)), None)


def fits_result(number: Number, result: Result, spoken: Spoken) -> bool:
    """Return whether what a sentence says beside a result fits the cells from which it is calculated."""
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    years = claimed_years(spoken.text, spoken.numbers, number, reference_years(spoken))
    of = {year for each in result.operands for year in each.years}
    if years and of and not years & of:
        return False
    said = frozenset(word_terms(blank_places(spoken.text), language))
    named = {row[0].label_text for row in rows_named(evidence, said)}
    return not named or bool(named & {each.label_text for each in result.operands}) or bool(measures_in(said, language))


def _repeats(number: Number, of: Result, *, operand: bool = False) -> bool:
    result = of.number
    # "13.3 - 19.9" of "13.3 %" and "19.9 %".
    bare = operand and number.unit is NumberUnit.PLAIN
    if (number.unit is not result.unit and not bare) or (
        number.currency and result.currency and number.currency != result.currency
    ):
        return False
    if number.negative and not result.negative:
        return False
    if number.decimals > result.decimals and not number.exponent:
        return False
    exponents = {number.exponent - result.exponent}
    if not result.exponent:
        # "88,420 - 31,220 = 57,200" in thousands is "57.2 million".
        exponents |= {number.exponent - (each.stated.exponent or each.number.exponent) for each in of.operands}
    return any(
        round_to(result.value.scaleb(-exponent), number.decimals, mode) == number.value
        for exponent in exponents
        for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)
    )


def _earlier(operand: Number, results: Sequence[Result]) -> Result | None:
    return next((each for each in results if _repeats(operand, each, operand=True)), None)


def _in_figures(claimed: ClaimedCalculation) -> str:
    """Return the expression with its operands in place of names, in their order."""
    if any(character.isdigit() for character in claimed.expression):
        return claimed.expression
    names = list(dict.fromkeys(_NAMES.findall(claimed.expression)))
    if len(names) != len(claimed.operands):
        return claimed.expression
    text = claimed.expression
    for name, operand in sorted(zip(names, claimed.operands, strict=True), key=lambda pair: -len(pair[0])):
        text = text.replace(name, operand)
    return text


def _objection(
    calculation: Calculation,
    bound: Mapping[Number, Bound],
    cells: Sequence[tuple[Figure, ...]],
    carried: Sequence[tuple[Figure, ...]],
    spoken: Spoken,
    years: frozenset[int],
) -> tuple[FindingType, str] | None:
    if not (cells or carried) or not all(each.supported for each in bound.values()):
        return FindingType.NUMBER, _OTHER_FIGURES
    of = {year for each in (*cells, *carried) for figure in each for year in figure.years}
    if years and of and not of & years:
        return FindingType.NUMBER, _OTHER_YEAR
    exponents = {
        exponent
        for each in (*cells, *carried)
        for figure in each
        for exponent in (figure.stated.exponent or 0, figure.number.exponent)
    }
    if not calculation.comes_out(exponents):
        return FindingType.NUMBER, _WRONG
    if _is_difference_of_shares(calculation, bound, spoken):
        return FindingType.NUMBER, "a difference of per cents is in points"
    named = {each for of_one in (*cells, *carried) for figure in of_one for each in figure.stated.currencies}
    if calculation.result.currency and named and calculation.result.currency not in named:
        return FindingType.NUMBER, "in another currency"
    if not _is_named(cells, carried, spoken):
        return FindingType.MEASURE, _OTHER_ROWS
    return None


def _is_difference_of_shares(calculation: Calculation, bound: Mapping[Number, Bound], spoken: Spoken) -> bool:
    """Return whether a change from one share to another is given in per cent."""
    if (
        calculation.result.unit is not NumberUnit.PERCENT
        or not CHANGES.search(spoken.text)
        or len(calculation.operands) != 2
    ):
        return False
    first, second = calculation.operands
    if abs(calculation.value) not in {
        abs(one - other) for one, other in ((first.value, second.value), (first.value / 100, second.value / 100))
    }:
        return False
    results = [each.number for each in spoken.said.results if each.number.percent]
    cells = [each for operand in calculation.operands for each in bind_operand(operand, spoken)]
    shares = [each.number for each in cells if each.number.percent] + results
    return all(any(each.value == operand.value for each in shares) for operand in (first, second))


def _is_named(cells: Sequence[tuple[Figure, ...]], carried: Sequence[tuple[Figure, ...]], spoken: Spoken) -> bool:
    """Return whether what is named beside a calculation does not contradict the rows from which it is calculated.

    Each other word beside it must come from these rows (unexplained.py).
    """
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    said = frozenset(word_terms(blank_places(f"{spoken.text} {spoken.quoted}"), language))
    tables = [tuple(each for each in of_one if each.is_cell) for of_one in cells]
    if not tables or not all(tables):
        return True
    labels = _read(tables, evidence)
    if _names_another(said, labels, language):
        return False
    own = {each.label_text for of_one in tables for each in of_one}
    left = said - measure_words(measures_in(said, language), language)
    others = {row[0].label_text for row in rows_named(evidence, left) if not row[0].per_share} - own
    others -= {each.label_text for of_one in carried for each in of_one}
    if others and not any(each.named_by(said).full for of_one in labels[-1:] for each in of_one):
        return False
    items = frozenset[str]().union(*(each.items for of_one in labels for each in of_one))
    if (lines := lines_named(left, language)) and items and not lines & items:
        return False
    told = left - plain_terms(language) - moving_terms(language) - calculated_terms(language) - _around(cells, evidence)
    if told or measures_in(said, language):
        return True
    if spoken.said.rows and any(each.label_text in own for each in spoken.said.rows):
        return True
    # Nothing is named: then what is asked for is meant.
    return _fits_asked(labels, evidence)


def _read(tables: Sequence[tuple[Figure, ...]], evidence: Evidence) -> list[tuple[Label, ...]]:
    return [tuple(evidence.sources.label(each) for each in of_one) for of_one in tables]


def _around(cells: Sequence[tuple[Figure, ...]], evidence: Evidence) -> frozenset[str]:
    return frozenset[str]().union(
        *(evidence.sources.around(evidence.by_ref[each.ref_id]) for of_one in cells for each in of_one)
    )


def _fits_asked(labels: Sequence[Sequence[Label]], evidence: Evidence) -> bool:
    """Return whether a calculation without names may be what is asked for.

    It may be unless the question names a measure with another formula, or another row.
    """
    asked, language = evidence.asked_words, evidence.analysis.language
    if _fit(asked, labels, language):
        return True
    if any(
        any(parts_of(each)) and all(label.items for of_one in labels for label in of_one)
        for each in measures_in(asked, language)
    ):
        return False
    own = frozenset[str]().union(*(each.vocabulary for of_one in labels for each in of_one))
    return not rows_named(evidence, asked) or bool(asked & own - plain_terms(language))


def _fit(words: frozenset[str], labels: Sequence[Sequence[Label]], language: str) -> bool:
    """Return whether words name a measure whose formula has just these rows, or that is named after one of them."""
    items = [frozenset(name for each in of_one for name in each.items) for of_one in labels]
    measures = measures_in(words, language)
    # A step of it, such as an average, is calculated from some of its rows. A row that is named too may be added.
    named = [any(each.named_by(words).named for each in of_one) for of_one in labels]
    if any(
        all(each & formula or also for each, also in zip(items, named, strict=True))
        and any(each & formula for each in items)
        for measure in measures
        for formula in parts_of(measure)
    ):
        return True
    # "EBITDA margin" of a row "Adjusted EBITDA" and revenue.
    own = frozenset[str]().union(*(each.all for of_one in labels for each in of_one))
    return any(
        names and names <= own and not all(items)
        for measure in measures
        for names in [measure_words([measure], language) & words - calculated_terms(language)]
    )


def _names_another(words: frozenset[str], labels: Sequence[Sequence[Label]], language: str) -> bool:
    """Return whether words name a measure with a formula, and none of those has these rows."""
    with_formula = [each for each in measures_in(words, language) if parts_of(each)]
    own = frozenset[str]().union(*(each.core for of_one in labels for each in of_one))
    others = [each for each in with_formula if not measure_words([each], language) & words <= own]
    return bool(others) and not _fit(words, labels, language)


def _words(cells: Sequence[tuple[Figure, ...]], spoken: Spoken) -> frozenset[str]:
    """Return the names of all measures whose formula has just these rows."""
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    items = frozenset(
        name for of_one in cells for each in of_one if each.is_cell for name in evidence.sources.label(each).items
    )
    said = frozenset(word_terms(spoken.text, language))
    fitting = [measure for measure in measures_in(said, language) if any(each <= items for each in parts_of(measure))]
    # What is asked for by a name that the glossary does not know is checked by the rows alone.
    return measure_words(fitting, language) | evidence.asked_words
