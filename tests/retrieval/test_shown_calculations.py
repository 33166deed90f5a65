"""The calculations of an answer by quotation: what holds passes, and every changed figure, sign or scale is stopped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from random import Random

import pytest

from apps.retrieval.contracts import GroundingStatus, Quote
from apps.retrieval.stages.grounding.shown_calculations import check_calculations

_TEXT = "Operating profit | 2024: 188.2 | 2023: 148.6 | 2021: (500.2) | 2020: 1,198.6"
_QUOTE = Quote(ref_id="a|p1|c1", text=_TEXT, start=0, end=len(_TEXT), columns="", row=None)


def holds(*lines: str, language: str = "en", question: str = "") -> bool:
    report = check_calculations(lines, [_QUOTE], (), question=question, language=language)
    return report.status is GroundingStatus.GROUNDED


@pytest.mark.parametrize(
    "line",
    [
        "Change in “Operating profit”, FY2023 to FY2024: 188.2 - 148.6 = 39.6 [a|p1|c1]",
        "Relative to FY2023: (188.2 - 148.6) / 148.6 = 26.6 % [a|p1|c1]",
        "Average of “Operating profit”, FY2021 to FY2024: (188.2 + 148.6 + (500.2)) / 3 = -54.47 [a|p1|c1]",
        "CAGR of “Operating profit”, FY2020 to FY2024: (188.2 / 1,198.6) ^ (1/4) - 1 = -37.1 % [a|p1|c1]",
        "“Operating profit”, FY2020: 1,198.6 million = 1.1986 billion [a|p1|c1]",
        "“Operating profit” rose from 148.6 in FY2023 to 188.2 in FY2024. [a|p1|c1]",
        "“Operating profit 2017” was highest in FY2020: 1,198.6 (188.2 in FY2024). [a|p1|c1]",
    ],
)
def test_what_follows_from_the_rows_passes(line: str) -> None:
    assert holds(line)


@pytest.mark.parametrize(
    "line",
    [
        "Change in “Operating profit”, FY2023 to FY2024: 188.2 - 148.7 = 39.5",
        "Change in “Operating profit”, FY2023 to FY2024: 188.2 - 148.6 = 39.7",
        "Change in “Operating profit”, FY2023 to FY2024: 148.6 - 188.2 = 39.6",
        "Relative to FY2023: (188.2 - 148.6) / 148.6 = 0.266 %",
        "Average of “Operating profit”, FY2023 to FY2024: (188.2 + 148.6) / 3 = 112.27",
        "“Operating profit”, FY2020: 1,198.6 million = 11.986 billion",
        "“Operating profit”, FY2020: 1,198.6 thousand = 1.1986 billion",
        "“Operating profit” rose from 148.6 in FY2023 to 188.3 in FY2024.",
        "“Operating profit”, FY2024: 188.2 / 0 = 1",
        "“Operating profit”, FY2024: 188.2 / = 188.2",
    ],
)
def test_what_does_not_follow_is_stopped(line: str) -> None:
    assert not holds(line)


_LOSSES = "Segment result of Ferries | 2024: (38.4) | 2023: (23.8)"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("“Ferries” fell from (23.8) in FY2023 to (38.4) in FY2024.", True),
        ("“Ferries” rose from (23.8) in FY2023 to (38.4) in FY2024.", False),
        # Without brackets it is the amount that a cost has.
        ("“Ferries” rose from 23.8 in FY2023 to 38.4 in FY2024.", True),
        ("“Ferries” fell from 23.8 in FY2023 to 38.4 in FY2024.", False),
    ],
)
def test_brackets_in_a_statement_are_a_sign(line: str, *, right: bool) -> None:
    quote = Quote(ref_id="a|p1|c1", text=_LOSSES, start=0, end=len(_LOSSES), columns="", row=None)
    report = check_calculations([line], [quote], (), question="", language="en")
    assert (report.status is GroundingStatus.GROUNDED) is right


def test_a_result_may_be_used_in_the_next_line_only() -> None:
    first = "Sum: 188.2 + 148.6 = 336.8"
    second = "Average: 336.8 / 2 = 168.4"
    assert holds(first, second)
    assert not holds(second, first)


def test_german_notation_and_figures_of_the_question() -> None:
    assert holds("Veränderung von “Ergebnis”, 2020 bis 2024: 188,2 - 1.198,6 = -1.010,4", language="de")
    assert not holds("Veränderung, 2020 bis 2024: 188,2 - 148,6 = 39,7", language="de")
    assert holds("Per 7: 188.2 / 7 = 26.89", question="operating profit divided by 7")
    assert not holds("Per 7: 188.2 / 7 = 26.89")


def test_nothing_shown_is_nothing_checked() -> None:
    assert not holds()


# --- Of each class of false line, as many as there are --------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Two rows of one company, one of another, and rates: of each year a figure that no other cell has."""

    profit: dict[int, Decimal]
    costs: dict[int, Decimal]
    other: dict[int, Decimal]
    rates: dict[int, Decimal]

    def quotes(self) -> list[Quote]:
        rows = (("Profit", self.profit, ""), ("Costs", self.costs, ""), ("Margin", self.rates, " %"))
        return [
            Quote(ref_id="a|p1|c1", text=text, start=0, end=len(text))
            for name, row, sign in rows
            for text in [" | ".join([name, *(f"{year}: {printed(value)}{sign}" for year, value in row.items())])]
        ]


def printed(value: Decimal) -> str:
    return f"({-value:,})" if value < 0 else f"{value:,}"


YEARS = (2024, 2023, 2022, 2021)


def table(chance: Random) -> Table:
    figures = chance.sample(range(4_001, 90_000), 12)
    amounts = [Decimal(each) / 10 * chance.choice((1, 1, 1, -1)) for each in figures]
    # A row whose figures are all in brackets is a cost, and is named without.
    amounts[0], amounts[1] = abs(amounts[0]), -abs(amounts[1])
    rates = [Decimal(each) / 10 for each in chance.sample(range(11, 390), 4)]
    groups = [dict(zip(YEARS, each, strict=True)) for each in (amounts[:4], map(abs, amounts[4:8]), amounts[8:], rates)]
    return Table(profit=groups[0], costs=groups[1], other=groups[2], rates=groups[3])


def told(value: Decimal, places: int = 1) -> str:
    return f"{value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):,}"


def right(of: Table, chance: Random) -> list[str]:
    """Return one line of each form that is written (calculating/wording.py), all of them true."""
    new, old = sorted(chance.sample(YEARS, 2), reverse=True)
    a, b, cost, margin = of.profit[new], of.profit[old], of.costs[new], of.rates
    x, y = printed(a), printed(b)
    verb = "rose" if a > b else "fell"
    return [
        f"Change in “Profit”, FY{old} to FY{new}: {x} - {y} = {told(a - b)}",
        f"Change in “Profit”, FY{old} to FY{new}: ({x} - {y}) / {y} = {told((a - b) / b * 100)} %",
        f"Average of “Profit”, FY{old} to FY{new}: ({x} + {y}) / 2 = {told((a + b) / 2, 2)}",
        f"Sum of “Profit”, FY{old} to FY{new}: {x} + {y} = {told(a + b)}",
        f"“Profit” less “Costs”, FY{new}: {x} - {printed(cost)} = {told(a - cost)}",
        f"“Profit” as a share of “Costs”, FY{new}: {x} / {printed(cost)} = {told(a / cost * 100)} %",
        f"Change in “Margin”, FY{old} to FY{new}: {margin[new]} % - {margin[old]} % = "
        f"{told(margin[new] - margin[old])} percentage points",
        f"“Profit” {verb} from {y} in FY{old} to {x} in FY{new}.",
        f"“Costs”, FY{new}: {printed(cost)} million = {told(cost / 1000, 3)} billion",
    ]


def false(line: str, of: Table, chance: Random) -> dict[str, str]:
    """Return a true line with one thing changed, by what it is."""
    said, colon, shown = line.rpartition(": ")
    if not colon:
        first, rest = line.split(" from ")
        before, after = re.findall(r"\S+ in FY\d+", rest)
        other = {"rose": "fell", "fell": "rose"}[first.rsplit(" ", 1)[1]]
        one, another = before.split()[0], after.split()[0]
        return {
            "moved the other way": f"{first.rsplit(' ', 1)[0]} {other} from {rest}",
            "figures of the other years": line.replace(one, "@").replace(another, one).replace("@", another),
            "a figure of nobody": line.replace(before.split()[0], "0.7"),
            "another company's figure": line.replace(after.split()[0], printed(of.other[2024])),
            "an amount that looks like a year": line.replace(before.split()[0], "2019 million"),
        }
    calculation, _, result = shown.partition(" = ")
    number = Decimal(re.search(r"[\d,]+(?:\.\d+)?", result).group().replace(",", ""))
    unit = result[len(re.match(r"-?[\d,.]+", result).group()) :]
    sign = "-" if result.startswith("-") else ""
    size = result.removeprefix("-").removesuffix(unit)
    operand = re.match(r"\(*[\d,.]+\)?", calculation).group()
    made = {
        "a result beside it": f"{calculation} = {sign}{number + Decimal('0.2') + number / 50:,}{unit}",
        "another sign": f"{calculation} = {'' if sign else '-'}{size}{unit}",
        "another sign, as in books": f"{calculation} = {f'{size}' if sign else f'({size})'}{unit}",
        "another sign, as is printed": f"{calculation} = {'' if sign else chr(0x2212)}{size}{unit}",
        "another sign, after the currency": f"{calculation} = EUR {'' if sign else '-'}{size}{unit}",
        "ten times as much": f"{calculation} = {sign}{number * 10:,}{unit}",
        "a second result": f"{calculation} = {result} = 77.7",
        "a figure behind it": f"{calculation} = {result}, which is 99.9 more",
        "rounded operands": shown.replace(operand, operand.partition(".")[0].strip("(") or "1", 1),
        "another company's figure": shown.replace(operand.strip("()"), f"{abs(of.other[2024])}", 1),
        "a constant more": f"{calculation} + 100 = {sign}{number + 100:,}{unit}",
        "twice": f"({calculation}) * 2 = {result}",
        "divided by almost nothing": f"{calculation} / 0.0001 = {result}",
        "another scale": f"{calculation} = {result} trillion"
        if "illion" not in result
        else f"{calculation} = {size} million",
        "two currencies": f"EUR {calculation} - USD 1 = {result}",
        "two scales": f"{calculation.removesuffix(' million')} million - 1 thousand = {result}",
    }
    if "%" in result and "%" not in calculation:
        made["a share as a figure"] = f"{calculation} = {result.replace(' %', '')}"
        made["a share as points"] = f"{calculation} = {result.replace('%', 'percentage points')}"
    elif "%" in calculation:
        made["points as a share"] = f"{calculation} = {sign}{size} %"
    else:
        made["an amount as a share"] = f"{calculation} = {result} %"
    made = {what: f"{said}: {each}" for what, each in made.items() if what != "rounded operands" or "." in operand}
    made["a figure before it"] = f"{said} and 99.9: {shown}"
    years = re.findall(r"FY(\d+)", said)
    strange = next(year for year in YEARS if str(year) not in years)
    if len(years) == 2 and not int(years[0]) < strange < int(years[1]) and "Margin" not in said:
        made["another year"] = _with_year(said, calculation, of, strange)
    return made


def _with_year(said: str, calculation: str, of: Table, year: int) -> str:
    """Return a line that calculates rightly with a figure of a year that it does not name."""
    numbers = re.findall(r"\(?[\d,]+\.\d+\)?", calculation)
    return f"{said}: {printed(of.profit[year])} - {numbers[-1].strip(')')} = " + told(
        of.profit[year] - Decimal(numbers[-1].strip("()").replace(",", ""))
    )


def passes(line: str, of: Table) -> bool:
    report = check_calculations([line], of.quotes(), (), question="", language="en")
    return report.status is GroundingStatus.GROUNDED


@pytest.mark.parametrize("seed", range(10))
def test_no_false_line_of_any_class_passes_and_every_right_one_does(seed: int) -> None:
    chance = Random(seed)
    wrong = count = 0
    passed: list[str] = []
    for _ in range(5):
        of = table(chance)
        for line in right(of, chance):
            count += 1
            assert passes(line, of), line
            for what, lie in false(line, of, chance).items():
                wrong += 1
                if passes(lie, of):
                    passed.append(f"{what}: {lie}, for {line}")
    assert passed == []
    assert (count, wrong > 500) == (45, True)
