"""Check facts by the sums that they belong to.

Sums that hold prove their figures. A sum that does not hold says little: rows may be "of which" others, or stand
between. So a figure fails only by an identity whose rows stand side by side (identities.py), and never one that another
sum proves. Signs and scales are put right only where that makes a sum hold, and the detail says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import CheckResult, FactUnit, ReadFact
from apps.filings.reading.agreement import agree
from apps.filings.reading.corrections import name_unnamed_totals, put_scale_right, put_sign_right
from apps.filings.reading.identities import Finding, check_identities
from apps.filings.reading.sums import FoundSum, find_sums

_FURTHEST_PAGES: Final = 3
_NAMES: Final = {
    Statement.BALANCE_SHEET.value: "balance sheet",
    Statement.INCOME_STATEMENT.value: "income statement",
    Statement.CASH_FLOW_STATEMENT.value: "cash flow statement",
}
_MOST_PROVEN: Final = 8
_MOST_NAMED: Final = 3


def check_facts(facts: Sequence[ReadFact]) -> tuple[ReadFact, ...]:
    """Return the facts, in their order, with what their sums show.

    Args: facts: of one document, as read_table_facts returns them.
    """
    checked = list(facts)
    for places in _columns_of(facts):
        for place, fact in zip(places, _check_column([checked[each] for each in places]), strict=True):
            checked[place] = fact
    _check_fourth_quarters(checked)
    _check_by_statements(checked)
    return tuple(checked)


def _columns_of(facts: Sequence[ReadFact]) -> list[list[int]]:
    """Return the places of the facts of each column of each statement, from the top down."""
    columns: dict[tuple[object, ...], list[int]] = {}
    last_page: dict[str, int] = {}
    run: dict[str, int] = defaultdict(int)
    seen: dict[tuple[int, int, str], int] = defaultdict(int)
    for place, fact in enumerate(facts):
        if not fact.statement:
            continue
        if fact.page - last_page.get(fact.statement, fact.page) > _FURTHEST_PAGES:
            run[fact.statement] += 1
        last_page[fact.statement] = fact.page
        in_row = (fact.page, fact.row.start, fact.column)
        seen[in_row] += 1
        # A quarter and a year may end on one day. Among cash flows stand the balances of cash, which have no months.
        months = fact.months if fact.statement == Statement.INCOME_STATEMENT else 0
        key = (fact.statement, run[fact.statement], fact.column, months, seen[in_row], fact.dimension, fact.restated)
        columns.setdefault(key, []).append(place)
    return list(columns.values())


def _check_column(facts: list[ReadFact]) -> list[ReadFact]:
    """Return the facts of one column of a statement, checked."""
    statement = facts[0].statement
    facts = put_scale_right(facts)
    places = [place for place, fact in enumerate(facts) if fact.unit is FactUnit.MONEY]
    money = [facts[place] for place in places]
    sums = find_sums(money, statement)
    if statement == Statement.CASH_FLOW_STATEMENT and (right := put_sign_right(money, sums)) is not None:
        money = right
        sums = find_sums(money, statement)
    if statement == Statement.BALANCE_SHEET:
        money = name_unnamed_totals(money, sums)
    findings = [_finding(money, each) for each in sums]
    findings.extend(check_identities(money, statement))
    for place, fact in zip(places, _mark(money, findings), strict=True):
        facts[place] = fact
    return facts


def _finding(money: Sequence[ReadFact], found: FoundSum) -> Finding:
    parts = [money[each].label or "the unnamed row" for each in found.parts]
    named = ", ".join(parts[:_MOST_NAMED]) + (
        f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
    )
    how = "what is left of" if found.is_difference else "the sum of"
    total = money[found.total].label or "The unnamed row"
    return Finding(places=(found.total, *found.parts), holds=True, detail=f"{total} is {how} {named}")


def _mark(facts: Sequence[ReadFact], findings: Iterable[Finding]) -> list[ReadFact]:
    """Return the facts with the first sum that proves each, or else the first that fails."""
    marked = list(facts)
    for finding in sorted(findings, key=lambda each: not each.holds):
        result = CheckResult.PASSED if finding.holds else CheckResult.FAILED
        for place in finding.places:
            fact = marked[place]
            if fact.check is CheckResult.UNCHECKED:
                detail = f"{fact.check_detail}; {finding.detail}" if fact.check_detail else finding.detail
                marked[place] = replace(fact, check=result, check_detail=detail)
    return marked


def _check_fourth_quarters(facts: list[ReadFact]) -> None:
    """Mark fourth quarters that are the year less nine months, where a document prints all three."""
    by_period: dict[tuple[object, ...], dict[tuple[int, int], int]] = defaultdict(dict)
    for place, fact in enumerate(facts):
        if fact.concept and fact.unit is FactUnit.MONEY and not fact.dimension and fact.months:
            key = (fact.concept, fact.fiscal_year, fact.currency, fact.consolidated)
            by_period[key].setdefault((fact.fiscal_quarter, fact.months), place)
    for places in by_period.values():
        try:
            year, nine, quarter = places[0, 12], places[3, 9], places[4, 3]
        except KeyError:
            continue
        if agree(facts[quarter], replace(facts[year], value=facts[year].value - facts[nine].value)):
            for place in (year, nine, quarter):
                if facts[place].check is CheckResult.UNCHECKED:
                    detail = "The fourth quarter is the year less nine months"
                    facts[place] = replace(facts[place], check=CheckResult.PASSED, check_detail=detail)


def _check_by_statements(facts: list[ReadFact]) -> None:
    """Mark figures of other tables, or without a sum of their own, that a proven figure of a statement repeats."""
    proven: dict[tuple[object, ...], list[ReadFact]] = defaultdict(list)
    for fact in facts:
        if fact.statement and fact.check is CheckResult.PASSED and fact.concept and not fact.dimension:
            same = proven[_same(fact)]
            if len(same) < _MOST_PROVEN:
                same.append(fact)
    for place, fact in enumerate(facts):
        if fact.check is not CheckResult.UNCHECKED or not fact.concept or fact.dimension or not fact.value:
            continue
        other = next((each for each in proven.get(_same(fact), ()) if agree(fact, each)), None)
        if other is not None:
            detail = f"The {_NAMES[other.statement]} on page {other.page} prints the same"
            facts[place] = replace(fact, check=CheckResult.PASSED, check_detail=detail)


def _same(fact: ReadFact) -> tuple[object, ...]:
    return (fact.concept, fact.fiscal_year, fact.fiscal_quarter, fact.months, fact.consolidated)
