"""What a row may be called: by its own label, by another name of the same line, or as part of a measure's formula."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.stages.figures.formulas import lines_of
from apps.retrieval.stages.figures.line_items import ITEMS, PARTS
from apps.retrieval.stages.figures.measure_table import MEASURES
from apps.retrieval.stages.grounding.wording import is_word
from apps.retrieval.stages.question.glossary import GLOSSARY
from apps.retrieval.stages.question.glossary_entry import Nature

_BRACKETS: Final = re.compile(r"\([^()]*\)")
_TAIL: Final = re.compile(
    r"[\s,\u2013\u2014-]+(?:including|excluding|exclusive\s+of|inclusive\s+of|net\s+of|less|einschlie\u00dflich|ohne)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_FEWEST_INITIALS: Final = 2
_MOST_INITIALS: Final = 5
_NOISE: Final = ("total", "net", "consolidated", "company", "year", "sum", "gesamt", "summe")
_GROSS: Final = ("gross", "accumulated", "cost", "deferred", "kumulierte")
_MOST_FURTHER_TERMS: Final = 2
_PART: Final = 0.5
_ALSO: Final = {
    "revenue": (
        "turnover | total revenue | total revenues | net revenue | net revenues | sales | takings"
        " | Umsatz | Gesamtertr\u00e4ge | Ertr\u00e4ge | operating revenues"
    ),
    "net income": (
        "earnings | profit | net earnings | net profit | profit after tax | profit for the year"
        " | bottom line | Gewinn | Konzerngewinn | Nettogewinn | Jahresgewinn | net loss"
        " | loss for the year | Konzernergebnis | Jahres\u00fcberschuss"
    ),
    "operating income": (
        "operating profit | operating earnings | EBIT | operating result | Betriebsergebnis | Betriebsgewinn"
    ),
    "income before tax": (
        "pre-tax profit | pretax profit | profit before tax | pre-tax income | pretax income"
        " | pre-tax loss | loss before tax | profit/(loss) before tax"
    ),
    "selling, general and administrative expense": (
        "G&A | G&A expense | general and administrative expense | SG&A | overheads"
    ),
    "research and development": (
        "R&D | R&D expense | R&D spending | F&E | F&E-Aufwand | Forschung und Entwicklung | Forschungsaufwand"
    ),
    "cost of goods sold": "COGS | cost of sales | Materialaufwand",
    "operating cash flow": (
        "cash from operations | operating cash flow | cash generated from operations"
        " | cash flow from operating activities | operativer Cashflow"
    ),
    "capital expenditure": "capex | capital spending | capital investment | investment in property | Investitionen",
    "dividends": "dividends | shareholder dividends | distributions | payouts | dividend payments | Dividende",
    "share repurchase": "buybacks | share buybacks | stock buybacks | repurchases",
    "equity": "total equity | shareholders' equity | net assets | Eigenkapital",
    "depreciation and amortisation": "D&A",
}
"""What else prose calls these lines. It names a figure, and is no word to search for."""
_MEASURES_ALSO: Final = {
    "net margin": (
        "return on sales | return on revenue | return on revenues | Umsatzrendite | Nettomarge | Nettoumsatzrendite"
    ),
    "operating margin": "EBIT margin | EBIT-Marge | operative Marge",
    "profit margin": "Bruttomarge",
}
_MANY_THINGS: Final = frozenset({"debt"})
"""Lines whose names in line_items.py are of several things, each a part of what is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """How far words name a row. full: all of its name, or another name of it. words: those that do."""

    full: bool
    share: float
    words: frozenset[str]

    @property
    def named(self) -> bool:
        return self.full or self.share >= _PART


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A row's label, read.

    core: the terms without which it would be another label. all: with those in brackets and behind "net of".
    noise: of all, those that seldom make another label of it: total, net.
    items: the lines of the glossary that it is. others: other names of these lines.
    heading: terms of the heading above the row.
    """

    core: frozenset[str]
    all: frozenset[str]
    noise: frozenset[str]
    items: frozenset[str]
    others: tuple[frozenset[str], ...]
    heading: frozenset[str]

    def named_by(self, said: Collection[str]) -> Naming:
        """Return how far the words name this row."""
        told = frozenset(said)
        best = Naming(full=False, share=0.0, words=frozenset())
        for other in self.others:
            if other <= told and len(other) > len(best.words):
                best = Naming(full=True, share=1.0, words=other)
        own = self.all & told
        telling = own - self.noise
        if (self.core and self.core <= told) or (telling and len(telling) >= len(self.core)):
            if not best.full or len(own) >= len(best.words):
                return Naming(full=True, share=1.0, words=own)
            return best
        if best.full:
            return best
        share = len(telling) / len(self.core) if self.core else 0.0
        if self.heading and self.heading <= told:
            return Naming(full=not self.core, share=max(share, _PART), words=own | self.heading)
        return Naming(full=False, share=share, words=own)

    @property
    def vocabulary(self) -> frozenset[str]:
        return self.all.union(self.heading, *self.others)


def read_label(label: str, heading: str, language: str) -> Label:
    """Read the label of a row and the heading above it."""
    noise = _words(_NOISE, language)
    full = _terms(label, language)
    core = _terms(_TAIL.sub("", _BRACKETS.sub(" ", label)), language) - noise
    plain = _TAIL.sub("", _BRACKETS.sub(" ", label))
    held = tuple(term for term in terms(plain, language) if is_word(term)) or tuple(sorted(full))
    above = _terms(heading, language) - noise
    items = frozenset(
        name for name, groups in _lines(language).items() if any(_is_nearly(each, held, language) for each in groups)
    )
    # The exact line is meant, if there is one: "current assets" are no "assets".
    exact = frozenset(name for name in items if any(each - noise == core for each in _lines(language)[name]))
    items = exact or items
    others = tuple(dict.fromkeys(each for name in sorted(items - _MANY_THINGS) for each in _lines(language)[name]))
    if initials := _initials(label):
        others = (*others, frozenset({initials}), frozenset({initials, *_words(("expense",), language)}))
    return Label(core=core, all=full, noise=full & noise, items=items, others=others, heading=above)


def _initials(label: str) -> str:
    """Return the initials of a label of several words, as they are used for it: "O&M" for operation and maintenance."""
    words = [
        word
        for word in _WORD.findall(_BRACKETS.sub(" ", label))
        if word.lower() not in ("and", "of", "the", "und", "for")
    ]
    return "".join(word[0] for word in words).lower() if _FEWEST_INITIALS <= len(words) <= _MOST_INITIALS else ""


def measures_in(said: Collection[str], language: str) -> frozenset[str]:
    """Return the measures with a formula that words name, the longest names first: "operating margin", not "margin"."""
    told = frozenset(said)
    found = {
        label: max((each for each in groups if each <= told), key=len, default=frozenset[str]())
        for label, groups in _measures(language).items()
    }
    # "Gross profit" is the name of a line, and no margin.
    lines = {each for groups in _lines(language).values() for each in groups}
    named = {label: words for label, words in found.items() if words and words not in lines}
    return frozenset(label for label, words in named.items() if not any(words < other for other in named.values()))


def lines_named(said: Collection[str], language: str) -> frozenset[str]:
    """Return the lines of statements that words name in full."""
    told = frozenset(said)
    return frozenset(name for name, groups in _lines(language).items() if any(each <= told for each in groups if each))


def parts_of(measure: str) -> tuple[frozenset[str], ...]:
    """Return the lines of each formula of a measure."""
    of_formulas = tuple(frozenset(line.name for line in lines_of(each.formula)) for each in MEASURES.get(measure, ()))
    return of_formulas or ((frozenset(PARTS[measure]),) if measure in PARTS else ())


def measure_words(measures: Iterable[str], language: str) -> frozenset[str]:
    known = _measures(language)
    return frozenset(term for label in measures for each in known.get(label, ()) for term in each)


def _is_nearly(name: frozenset[str], label: tuple[str, ...], language: str) -> bool:
    """Return whether a row's label is a line's name, but for words beside it that make no other line of it.

    "Net income, group share" is net income; "net banking income" is not.
    """
    held = frozenset(label)
    if not name or not name <= held:
        return False
    places = [label.index(term) for term in name]
    if max(places) - min(places) >= len(name):
        return False
    beside = held - name
    allowed = _MOST_FURTHER_TERMS if len(name) > 1 else 0
    return not beside & _words(_GROSS, language) and len(beside - _words(_NOISE, language)) <= allowed


# These caches hold only what is written in our own lists, and nothing of a document.
@lru_cache(maxsize=4)
def _lines(language: str) -> dict[str, tuple[frozenset[str], ...]]:
    entries = {entry.label: entry for entry in GLOSSARY if entry.nature is Nature.FIGURE and entry.label not in PARTS}
    names: dict[str, list[str]] = {}
    for name, item in ITEMS.items():
        names.setdefault(name, []).extend(item.labels)
    for name, entry in entries.items():
        names.setdefault(name, []).extend((*entry.triggers, *entry.phrases))
    names.pop("cash flow by activity", None)
    for name, more in _ALSO.items():
        names[name].extend(part.strip() for part in more.split("|"))
    return {
        name: tuple(dict.fromkeys(found for each in those if (found := _terms(each, language)) and found != {"pp"}))
        for name, those in names.items()
    }


@lru_cache(maxsize=4)
def _measures(language: str) -> dict[str, tuple[frozenset[str], ...]]:
    return {
        entry.label: tuple(
            dict.fromkeys(
                found
                for each in (*entry.triggers, *_MEASURES_ALSO.get(entry.label, "").split("|"))
                if (found := _terms(each, language))
            )
        )
        for entry in GLOSSARY
        if entry.label in PARTS
    }


@lru_cache(maxsize=16)
def _words(words: tuple[str, ...], language: str) -> frozenset[str]:
    return frozenset(term for word in words for term in terms(word, language))


def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(term for term in terms(text, language) if is_word(term))
