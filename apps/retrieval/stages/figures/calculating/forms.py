"""Read which calculation a question asks for, by its form: a closed set, whatever is asked about.

A form is read from a few words (a change, a share, an average), the years and the unit. What the figures are called
plays no part here: series.py and matching.py find their rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from apps.filings.text.dates import read_dates
from apps.filings.text.period_mentions import write_years_out
from apps.filings.vocabulary.concepts import find_in_text
from apps.retrieval.contracts import AnswerKind, QueryAnalysis
from apps.retrieval.stages.figures.calculating import form_words as words
from apps.retrieval.stages.figures.calculating.asked_form import AskedForm, Form
from apps.retrieval.stages.figures.calculating.thresholds import read_threshold
from apps.retrieval.stages.question.answer_kind import read_answer_kind

_VERDICTS: Final = (Form.COMPARISON, Form.SIGN)
_A_PAIR: Final = 2
_LONGEST_QUESTION_CHARS: Final = 600
"""What is longer is no question of figures, and its forms would take long to read."""


def read_forms(analysis: QueryAnalysis) -> tuple[AskedForm, ...]:
    """Return the calculations that a question may ask for, the likeliest first and VALUE last; empty if for none."""
    text = write_years_out(analysis.text)
    if len(text) > _LONGEST_QUESTION_CHARS:
        return ()
    if analysis.language == "de":
        text = words.COMPOUND_NOUN.sub(_part_compound, text)
    counted, unit, rounded = (
        pattern.search(text) for pattern in (words.YEARS_COUNTED, words.UNIT_ASKED, words.ROUNDED)
    )
    plain = AskedForm(
        form=Form.VALUE,
        parts=(text,),
        years=_years(analysis),
        whole_range=words.YEAR_RANGE.search(text) is not None,
        since=words.SINCE.search(text) is not None,
        count=_count(counted["count"]) if counted else 0,
        of_change=_is_change(text),
        percent=words.PERCENT.search(text) is not None,
        exponent=words.UNITS[_singular(unit["unit"])] if unit else None,
        places=_places(rounded["places"]) if rounded else None,
    )
    kind = read_answer_kind(text, wants_number=analysis.wants_number, language=analysis.language)
    if words.STATES_IT.search(text):
        kind = AnswerKind.YES_NO
    if kind is AnswerKind.REASON:
        return ()
    if words.SUPPOSED.search(text) and not words.EXCEEDS.search(text):
        # What is only supposed is no figure of a table, and a row does not answer it.
        return (replace(plain, yes_no=True), plain)
    compared = tuple(_threshold(text, kind, plain, analysis.language))
    others = (found for read in _READERS for found in read(text, kind, plain))
    if read_threshold(text, analysis.language) is not None:
        # What is asked against an amount is not answered by a direction or by another figure.
        others = (replace(each, rises=None) for each in others if each.form not in _VERDICTS)
    return (*compared, *others, plain)


def _part_compound(found: re.Match[str]) -> str:
    return f"{found['of'].capitalize()} {found['form']}"


def _years(analysis: QueryAnalysis) -> tuple[int, ...]:
    """Return the years that a question names, or else those of its dates: "at 31 March 2024"."""
    named = {each.fiscal_year for each in analysis.periods}
    if (listed := words.YEARS_LISTED.search(analysis.text)) is not None:
        # "Fiscal 2022, 2023 and 2024": only the first is surely a fiscal year, and the others are asked for as well.
        named.update(map(int, words.A_YEAR.findall(listed.group())))
    return tuple(sorted(named or {each.year for each in read_dates(analysis.text) if each.year}))


def _count(word: str) -> int:
    return words.COUNTS.get(word.lower()) or int(word)


def _singular(unit: str) -> str:
    unit = unit.lower()
    return unit if unit in words.UNITS else unit.removesuffix("s")


def _places(word: str) -> int:
    return words.PLACES[word.lower()] if word.lower() in words.PLACES else int(word)


def _threshold(text: str, kind: AnswerKind, plain: AskedForm, language: str) -> Iterator[AskedForm]:
    found = read_threshold(text, language) if kind is AnswerKind.YES_NO and not words.NEGATED.search(text) else None
    if found is None:
        return
    falls = words.FALL.search(found.rest) is not None or words.PARTED_FALL.search(found.rest) is not None
    rises = words.RISE.search(found.rest) is not None or words.PARTED_RISE.search(found.rest) is not None
    of_change = rises is not falls or (not rises and words.CHANGE.search(found.rest) is not None)
    share = next(_share(found.rest, kind, plain), None) if found.amount.percent else None
    yield replace(
        plain,
        form=Form.THRESHOLD,
        parts=share.parts if share else (found.rest,),
        threshold=found,
        among_rows=True,
        yes_no=True,
        of_change=of_change,
        rises=not falls,
        exponent=None,
        percent=False,
    )


def _compound(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    yearly = words.PER_YEAR.search(text) is not None and _is_change(text) and plain.several_years
    if words.COMPOUND.search(text) or yearly:
        yield replace(plain, form=Form.COMPOUND_GROWTH)


def _extreme(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    form = Form.HIGHEST if words.HIGHEST.search(text) else Form.LOWEST if words.LOWEST.search(text) else None
    if form is None or words.NOT_THE_ONE.search(text):
        return
    falls = words.FALL.search(text) is not None or words.PARTED_FALL.search(text) is not None
    if plain.of_change and falls and form is Form.HIGHEST:
        # What fell the most has the lowest change.
        form = Form.LOWEST
    found = replace(plain, form=form)
    if words.WHICH_YEAR.search(text):
        yield found
        return
    if words.GROUP.search(text):
        yield replace(found, among_rows=True)
    # "The change of the maximum drawdown from 2023 to 2024" has the word in the name of the figure.
    if plain.several_years and not plain.of_change:
        yield found


def _difference(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    for pattern in words.DIFFERENCES:
        found = pattern.search(text)
        if found is not None and kind is not AnswerKind.YES_NO:
            both = found.groupdict().get("both") or ""
            in_order = words.MINUS.search(found.group()) is not None
            for one, two in _parted_pairs(found["one"], found["two"], text[found.start() : found.end()]):
                parts = (f"{one} {both}".strip(), f"{two} {both}".strip())
                yield replace(plain, form=Form.DIFFERENCE, parts=parts, among_rows=True, in_order=in_order)


def _parted_pairs(one: str, two: str, between: str) -> Iterator[tuple[str, str]]:
    """Yield the two figures of a pair, also as parted at a later "and": "salaries and benefits and IT costs"."""
    yield one, two
    if words.BETWEEN_AND.search(between):
        for conjunction in words.AND.finditer(two):
            yield f"{one} and {two[: conjunction.start()]}", two[conjunction.end() :]


def _over_several(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    averages = words.AVERAGE.search(text) is not None
    if averages and plain.several_years:
        yield replace(plain, form=Form.AVERAGE)
    elif averages and len(plain.years) == 1 and words.OPENING_AND_CLOSING.search(text):
        yield replace(plain, form=Form.AVERAGE, years=(plain.years[0] - 1, plain.years[0]))
    elif averages and len(plain.years) == 1:
        yield replace(plain, form=Form.AVERAGE, years=(plain.years[0] - 1, plain.years[0]), of_balances=True)
    elif plain.several_years and (words.SUM.search(text) or words.ADDED_YEARS.search(text)):
        # "Total capex FY22+FY23" is a sum; "total equity 2022 and 2023" is the name of a line. "Growth over the two
        # years together" is none.
        if not (_is_change(text) and words.GROWTH_RATE.search(text)):
            yield replace(plain, form=Form.SUM)
    elif kind is not AnswerKind.YES_NO and _adds_rows(text):
        yield replace(plain, form=Form.SUM, among_rows=True)


def _adds_rows(text: str) -> bool:
    """Return whether several figures are to be added. "Combined ratio" is the name of one."""
    together = words.TOGETHER.search(text)
    return (
        together is not None
        and not words.RATIO.search(text)
        and words.LISTS.search(text) is not None
        and all(not each.start <= together.start() < each.end for each in find_in_text(text))
    )


def _ratio(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    for pattern in words.COVERED:
        if (covered := pattern.search(text)) is not None:
            covered_parts = (covered["above"], covered["below"])
            yield replace(plain, form=Form.RATIO, parts=covered_parts, among_rows=True)
            return
    # "The excess of a over b" has its own "over" before that of the ratio.
    excess = re.search(r"\bexcess\s+of\s+.+?\s+over\s+", text, re.IGNORECASE)
    found = words.RATIO.search(text, excess.end() if excess else 0)
    if found is None:
        return
    above = text[excess.start() : found.end("above")] if excess else found["above"]
    two = words.TWO_ABOVE.search(above)
    parts: tuple[str, ...] = (above,)
    if two is not None:
        named = [each for key, each in two.groupdict().items() if each and key != "sign"]
        parts = (named[0], named[1])
    adds = two is not None and words.ADDS.search(two.group()) is not None
    yield replace(plain, form=Form.RATIO, parts=(*parts, found["below"]), among_rows=True, adds=adds)


def _share(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    stripped = text.strip().rstrip("?.! ")
    for pattern in words.SHARES:
        if (found := pattern.search(stripped)) is not None:
            yield replace(plain, form=Form.SHARE, parts=(found["part"], found["whole"]), among_rows=True)


def _change(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    rises = any(pattern.search(text) for pattern in (words.RISE, words.MORE, words.PARTED_RISE))
    falls = any(pattern.search(text) for pattern in (words.FALL, words.LESS, words.PARTED_FALL))
    if kind is AnswerKind.YES_NO and (rises or falls or _is_change(text)):
        base = words.BASE_YEAR.search(text)
        if base is not None and _is_change(text):
            # Whether it rose more than in another year is a question of two changes.
            yield replace(plain, yes_no=True)
            return
        # "By more than 10 %" and "not" say more than a direction.
        plainly = rises is not falls and not words.AMOUNT.search(text) and not words.NEGATED.search(text)
        # "Higher in 2022 than in 2023" supposes a fall from 2022 to 2023.
        turned = len(plain.years) == _A_PAIR and base is not None and base["year"].endswith(str(plain.years[-1]))
        yield replace(plain, form=Form.CHANGE, yes_no=True, rises=rises is not turned if plainly else None)
    elif _is_change(text) or (len(plain.years) == _A_PAIR and words.COMPARED.search(text)):
        yield replace(plain, form=Form.CHANGE)


def _comparison(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    if kind is AnswerKind.YES_NO and (found := words.MORE_THAN.search(text)) is not None:
        if words.AMOUNT.search(text) or words.NEGATED.search(text) or words.A_YEAR.search(found["two"][:8]):
            return
        rises = words.MORE.search(found["degree"]) is not None
        one = f"{found['before']} {found['one']}"
        yield replace(plain, form=Form.COMPARISON, parts=(one, found["two"]), among_rows=True, yes_no=True, rises=rises)
    elif kind is AnswerKind.YES_NO and (found := words.EXCEEDS.search(text)) and not words.NEGATED.search(text):
        parts = (found["one"], found["two"])
        yield replace(plain, form=Form.COMPARISON, parts=parts, among_rows=True, yes_no=True, rises=True)


def _sign(text: str, kind: AnswerKind, plain: AskedForm) -> Iterator[AskedForm]:
    found = words.SIGN_ASKED.search(text)
    if kind is AnswerKind.YES_NO and found is not None and not words.NEGATED.search(text):
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        rises = words.POSITIVE.search(found.group()) is not None
        yield replace(plain, form=Form.SIGN, parts=(rest,), among_rows=True, yes_no=True, rises=rises)


_READERS: tuple[Callable[[str, AnswerKind, AskedForm], Iterator[AskedForm]], ...] = (
    _compound,
    _extreme,
    _over_several,
    _ratio,
    _difference,
    _share,
    _comparison,
    _sign,
    _change,
)


def _is_change(text: str) -> bool:
    patterns = (words.RISE, words.FALL, words.CHANGE, words.PARTED_RISE, words.PARTED_FALL)
    return any(pattern.search(text) for pattern in patterns)
