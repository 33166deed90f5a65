"""Read which company or fund a question is about, among those whose documents are held.

Only names that the corpus knows can become filters. A question about any other company is therefore never narrowed to
the wrong one; it has no company filter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.filings.text.mentions import Mention, blank_mentions, mentions_of, word_set
from apps.retrieval.contracts import Certainty, FilterField, InventoryEntry, MetadataFilter
from apps.retrieval.stages.question.jurisdiction_names import code_of
from apps.retrieval.stages.question.parsing import is_ordinary

LEGAL_ENDINGS: Final = word_set(
    """
    inc incorporated corp corporation co company companies plc ltd limited llc llp lp ag sa se nv bv kg kgaa
    gmbh spa ab asa oyj group holding holdings trust fund funds sicav ucits icav oeic the
    """
)
_COMMON_FIRST_WORDS: Final = word_set(
    """
    american general first national united international global new north south east west great standard central
    foot best home bank capital core long short high low total world european us uk euro asia growth value
    income balanced dynamic strategic active passive green blue public federal esg sri reit etf em emea apac it
    ai tech energy health real
    """
)
# What a company is. Before a name, they are no part of it.
_BUSINESSES: Final = word_set(
    "bank banco banca banque sparkasse volksbank group gruppe groupe gruppo holding stadtwerke versicherung"
)
_SHORTEST_JOINED: Final = 5
_SHORTEST_FIRST_WORD: Final = 2
_SHORTEST_IN_LOWER_CASE: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Alias:
    text: str
    certainty: Certainty
    case_sensitive: bool
    why: str
    by_capital: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyReading:
    """The company filters, and the question without the names."""

    filters: tuple[MetadataFilter, ...]
    rest: str


def read_companies(text: str, entries: Sequence[InventoryEntry]) -> CompanyReading:
    """Find the companies that the question names.

    Args:    text: the question, one line.
             entries: what is held in the permitted kinds.
    Returns: one sure filter for names written as in the corpus (without the legal form), as ticker, or as an
             unmistakable short form; one likely filter for looser ones, such as the first word of the question, which
             is sure beside another sure name. A name that several companies share counts for
             all of them, but words within a longer name count only for that name: "Beta Equity Fund" does not mention
             the "Beta Fund".
    """
    found: dict[Certainty, dict[str, str]] = {Certainty.SURE: {}, Certainty.LIKELY: {}}
    spans: list[Mention] = []
    at_beginning: set[str] = set()
    written = _find_spellings(text, entries)
    for company, wordings in written.items():
        others = [
            each for other, those in written.items() if other != company for _, places in those for each in places
        ]
        for alias, mentions in wordings:
            own = [mention for mention in mentions if not any(_lies_in(mention, other) for other in others)]
            if own:
                # The capital at the beginning of a question does not indicate a name.
                loose = alias.by_capital and all(mention.start == 0 for mention in own) and not _is_made_up(own[0].text)
                if loose and alias.certainty is Certainty.SURE:
                    at_beginning.add(company)
                certainty = Certainty.LIKELY if loose else alias.certainty
                found[certainty].setdefault(company, f"“{own[0].text}” is {alias.why} of {company}")
                spans.extend(own)
                break
    if found[Certainty.SURE]:
        # "Acme versus Beta": a filter on Beta alone would leave out the company with which it is compared.
        found[Certainty.SURE].update({each: found[Certainty.LIKELY].pop(each) for each in at_beginning})
    found[Certainty.LIKELY] = {
        company: why for company, why in found[Certainty.LIKELY].items() if company not in found[Certainty.SURE]
    }
    filters = tuple(
        MetadataFilter(
            field=FilterField.COMPANY,
            values=tuple(reasons),
            certainty=certainty,
            reason="; ".join(reasons.values()) + ".",
        )
        for certainty, reasons in found.items()
        if reasons
    )
    return CompanyReading(filters=filters, rest=blank_mentions(text, spans))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyMention:
    """Where a text names companies that are held: more than one where they share the name."""

    start: int
    end: int
    companies: tuple[str, ...]


def mentions_of_companies(text: str, entries: Sequence[InventoryEntry]) -> tuple[CompanyMention, ...]:
    """Return where a text surely names companies, left to right; of names that overlap, the longest."""
    found: dict[tuple[int, int], set[str]] = {}
    for company, wordings in _find_spellings(text, entries).items():
        for alias, mentions in wordings:
            for mention in mentions if alias.certainty is Certainty.SURE else ():
                found.setdefault((mention.start, mention.end), set()).add(company)
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda place: (place[0] - place[1], place[0])):
        if all(end <= first or last <= start for first, last in kept):
            kept.append((start, end))
    return tuple(
        CompanyMention(start=start, end=end, companies=tuple(sorted(found[start, end]))) for start, end in sorted(kept)
    )


def _find_spellings(
    text: str, entries: Sequence[InventoryEntry]
) -> dict[str, list[tuple[_Alias, tuple[Mention, ...]]]]:
    """Return for each company the spellings of its name that the text holds, the surest first, with their positions."""
    held = sorted({(entry.company, entry.ticker) for entry in entries if entry.company})
    sharing = Counter(_first_word(company) for company in {company for company, _ in held})
    written: dict[str, list[tuple[_Alias, tuple[Mention, ...]]]] = {}
    for company, ticker in held:
        for alias in _aliases(company, ticker, shared=sharing[_first_word(company)] > 1):
            if mentions := mentions_of(alias.text, text, case_sensitive=alias.case_sensitive):
                written.setdefault(company, []).append((alias, mentions))
    return written


def _lies_in(mention: Mention, longer: Mention) -> bool:
    inside = longer.start <= mention.start and mention.end <= longer.end
    return inside and mention.end - mention.start < longer.end - longer.start


def find_named_companies(text: str, companies: Iterable[str]) -> frozenset[str]:
    """Return the companies that a text surely names: by name, short form or abbreviation."""
    return frozenset(
        company
        for company in companies
        if any(
            mentions_of(alias.text, text, case_sensitive=alias.case_sensitive)
            for alias in _aliases(company, "", shared=False)
            if alias.certainty is Certainty.SURE
        )
    )


def names_of(company: str) -> tuple[str, ...]:
    """Return the ways to write a company's name, the surest first."""
    return tuple(dict.fromkeys(alias.text for alias in _aliases(company, "", shared=False)))


def _aliases(company: str, ticker: str, *, shared: bool) -> Iterator[_Alias]:
    """Yield the ways to write a company's name, the surest first. `shared`: another company has the same first word."""
    bare = _bare_words(company)
    name = " ".join(bare)
    yield _Alias(text=company, certainty=Certainty.SURE, case_sensitive=len(company) < 3, why="the name")
    # A bare name of one ordinary word ("Growth Fund" -> "growth") says nothing about the fund.
    if len(bare) > 1 or name.lower() not in _COMMON_FIRST_WORDS:
        yield _Alias(text=name, certainty=Certainty.SURE, case_sensitive=len(name) < 3, why="the short name")
    if len(name) < 3:
        # "3m" may be three months as well as 3M.
        yield _Alias(text=name, certainty=Certainty.LIKELY, case_sensitive=False, why="a spelling")
    joined = "".join(bare)
    if len(bare) > 1 and len(joined) >= _SHORTEST_JOINED:
        yield _Alias(text=joined, certainty=Certainty.SURE, case_sensitive=False, why="another spelling")
    if ticker:
        yield _Alias(text=ticker.upper(), certainty=Certainty.SURE, case_sensitive=True, why="the ticker")
    if len(bare) > 2:
        shorter = " ".join(bare[:2])
        yield _Alias(text=shorter, certainty=Certainty.SURE, case_sensitive=False, why="the beginning of the name")
    first = _first_word(company)
    if len(bare) > 1 and len(first) >= _SHORTEST_FIRST_WORD:
        yield _Alias(
            text=first,
            certainty=Certainty.LIKELY if shared else Certainty.SURE,
            case_sensitive=True,
            why="the first word",
            by_capital=not first.isupper(),
        )
    if len(bare) > 1 and len(first) >= _SHORTEST_IN_LOWER_CASE:
        certainty = Certainty.SURE if not shared and _is_made_up(first) else Certainty.LIKELY
        yield _Alias(text=first, certainty=certainty, case_sensitive=False, why="the first word, in lower case,")
    if before := _before_joined_form(bare):
        yield _Alias(text=before, certainty=Certainty.SURE, case_sensitive=True, why="the name without its legal form")
    if stem := _upper_case_stem(bare):
        yield _Alias(text=stem, certainty=Certainty.SURE, case_sensitive=True, why="the abbreviation")


def _first_word(company: str) -> str:
    """Return the word by which a company is known for short: "Nordharden" for Bank Nordharden; "" if there is none."""
    words = _bare_words(company)
    named = [word for word in words if word.lower() not in _BUSINESSES] or words
    return "" if _is_common(named[0]) else named[0]


def _is_made_up(word: str) -> bool:
    """Return whether a word is no ordinary one, so that it names the company in whatever case it is written."""
    return len(word) >= _SHORTEST_IN_LOWER_CASE and not is_ordinary(word.lower())


def _is_common(word: str) -> bool:
    """Return whether a word alone names no company. "Swiss" and "Deutsche" are read as countries, for one."""
    return word.lower() in _COMMON_FIRST_WORDS or bool(code_of(word))


def _bare_words(company: str) -> list[str]:
    """Return the words of a name without a legal form at the end and an article at the beginning."""
    words = [word.strip(".,()") for word in re.split(r"\s+", company.replace(",", " ")) if word.strip(".,()&")]
    kept = list(words)
    while len(kept) > 1 and _is_legal(kept[-1]):
        kept.pop()
    while len(kept) > 1 and kept[0].lower() == "the":
        kept.pop(0)
    return kept or words or [company]


def _is_legal(word: str) -> bool:
    return word.lower().replace(".", "").replace("/", "") in LEGAL_ENDINGS


def _upper_case_stem(words: Iterable[str]) -> str:
    """Return three or more capitals with which a name begins, if lower case follows: `JPM` for JPMorgan."""
    match = re.match(r"[A-Z]{3,}(?=[a-z])", next(iter(words)))
    return match.group() if match else ""


def _before_joined_form(words: Sequence[str]) -> str:
    """Return the only word of a name without the legal form at its end: `Brem` for BremCo."""
    match = re.fullmatch(r"([A-Z][a-z]{3,})([A-Z][A-Za-z]*)", words[0]) if len(words) == 1 else None
    return match[1] if match and _is_legal(match[2]) else ""
