"""What is written around a calculation, in the language of the question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.quarters import asked_quarter

_IN_A_YEAR: Final = (
    *("rose", "fell", "unchanged", "beside", "stands", "figure"),
    *("highest", "lowest", "highest_row", "lowest_row"),
)
"""The templates that say "in the year", which is no word for a quarter in German."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Templates of one language. The names in braces are what is put in; {sum} is figures and signs."""

    year: str
    span: str
    years: str
    change: str
    points: str
    relative: str
    rose: str
    fell: str
    unchanged: str
    yes: str
    no: str
    growth: str
    average: str
    sum: str
    share: str
    rows: str
    measure: str
    scale: str
    result: str
    scales: tuple[tuple[int, str], ...]
    both: str
    less: str
    beside: str
    stands: str
    figure: str
    highest: str
    lowest: str
    highest_row: str
    lowest_row: str


_ENGLISH: Final = Wording(
    year="FY{year}",
    span="FY{first} to FY{last}",
    years="FY{first} and FY{last}",
    change="Change in {name}, {span}: {sum}",
    points="{value} percentage points",
    relative="Relative to {year}: {sum}",
    rose="{name} rose from {before} in {first} to {after} in {last}.",
    fell="{name} fell from {before} in {first} to {after} in {last}.",
    unchanged="{name} was {before} in {first} and {after} in {last}.",
    yes="Yes: {said}",
    no="No: {said}",
    growth="CAGR of {name}, {span}: {sum}",
    average="Average of {name}, {span}: {sum}",
    sum="Sum of {name}, {span}: {sum}",
    share="{name} as a share of {whole}, {year}: {sum}",
    measure="{name} from {rows}, {year}: {sum}",
    rows="From {rows}, {year}: {sum}",
    scale="{name}, {year}: {given} = {result}",
    result="The result",
    scales=((0, ""), (3, "thousand"), (6, "million"), (9, "billion"), (12, "trillion")),
    both="{name} and {other}, {year}: {sum}",
    less="{name} less {other}, {year}: {sum}",
    beside="{name} was {value} and {other} {least} in {year}.",
    stands="{name} was {value} in {year}.",
    figure="{value} in {year}",
    highest="{name} was highest in {year}: {value} ({others}).",
    lowest="{name} was lowest in {year}: {value} ({others}).",
    highest_row="{name} has the highest figure in {year}: {value} ({others}).",
    lowest_row="{name} has the lowest figure in {year}: {value} ({others}).",
)
_GERMAN: Final = Wording(
    year="{year}",
    span="{first} bis {last}",
    years="{first} und {last}",
    change="Ver\u00e4nderung von {name}, {span}: {sum}",
    points="{value} Prozentpunkte",
    relative="In Prozent von {year}: {sum}",
    rose="{name} stieg von {before} im Jahr {first} auf {after} im Jahr {last}.",
    fell="{name} sank von {before} im Jahr {first} auf {after} im Jahr {last}.",
    unchanged="{name}: {before} im Jahr {first} und {after} im Jahr {last}.",
    yes="Ja: {said}",
    no="Nein: {said}",
    growth="CAGR von {name}, {span}: {sum}",
    average="Durchschnitt von {name}, {span}: {sum}",
    sum="Summe von {name}, {span}: {sum}",
    share="{name} als Anteil an {whole}, {year}: {sum}",
    measure="{name} aus {rows}, {year}: {sum}",
    rows="Aus {rows}, {year}: {sum}",
    scale="{name}, {year}: {given} = {result}",
    result="Das Ergebnis",
    scales=((0, ""), (3, "Tausend"), (6, "Millionen"), (9, "Milliarden"), (12, "Billionen")),
    both="{name} und {other}, {year}: {sum}",
    less="{name} minus {other}, {year}: {sum}",
    beside="{name}: {value}, {other}: {least} im Jahr {year}.",
    stands="{name}: {value} im Jahr {year}.",
    figure="{value} im Jahr {year}",
    highest="{name} war am h\u00f6chsten im Jahr {year}: {value} ({others}).",
    lowest="{name} war am niedrigsten im Jahr {year}: {value} ({others}).",
    highest_row="{name} hat den h\u00f6chsten Wert im Jahr {year}: {value} ({others}).",
    lowest_row="{name} hat den niedrigsten Wert im Jahr {year}: {value} ({others}).",
)


def wording_for(analysis: QueryAnalysis) -> Wording:
    """Return the templates of a question's language, those in English for any but German, for years or a quarter."""
    words = _GERMAN if analysis.language == "de" else _ENGLISH
    quarter = asked_quarter(analysis)
    if not quarter:
        return words
    name = f"Q{quarter}"
    return replace(
        words,
        year=f"{name} {{year}}",
        span=words.span.replace("FY", "").replace("{", f"{name} {{"),
        years=words.years.replace("FY", "").replace("{", f"{name} {{"),
        **{each: getattr(words, each).replace("im Jahr {", "in {") for each in _IN_A_YEAR},
    )
