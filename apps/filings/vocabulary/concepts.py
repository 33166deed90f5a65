"""The concepts of finance: each a figure, with the names that rows of reports and questions give it.

The names are data and stand in the TOML files beside this module. A table of a file is a concept. Its keys are those of
Concept; German names stand in keys of their own (labels_de, asked_de). A name belongs to one concept only, and a name
that may mean several ("margin", "assets") belongs to none; a test checks the first.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from apps.corpus.extraction.statements import Statement


class Period(StrEnum):
    INSTANT = "instant"
    DURATION = "duration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A figure that reports print.

    statement: None for a figure that stands in none of the statements, such as the number of employees.
    labels:    what rows call it, the plainest first; English before German.
    asked:     what else people call it: short forms and usual names.
    german:    those of labels and asked that are German.
    tags:      its XBRL elements, as "us-gaap:Revenues" or "ifrs-full:Revenue".
    parts:     concepts that add up to it, or that stand in for it where a report prints no row of its own.
    """

    name: str
    statement: Statement | None
    period: Period
    labels: tuple[str, ...]
    asked: tuple[str, ...]
    german: frozenset[str]
    tags: tuple[str, ...]
    parts: tuple[str, ...]


_KEYS: Final = frozenset({"statement", "period", "labels", "labels_de", "asked", "asked_de", "tags", "parts"})


def read_concept(name: str, entry: Mapping[str, Any]) -> Concept:
    """Make a concept of a table of a file. Raises: ValueError for a key that no concept has."""
    if unknown := entry.keys() - _KEYS:
        raise ValueError(f"Unknown keys of the concept {name}: {', '.join(sorted(unknown))}")
    labels_de, asked_de = entry.get("labels_de", ()), entry.get("asked_de", ())
    return Concept(
        name=name,
        statement=Statement(entry["statement"]) if "statement" in entry else None,
        period=Period(entry["period"]),
        labels=(*entry.get("labels", ()), *labels_de),
        asked=(*entry.get("asked", ()), *asked_de),
        german=frozenset((*labels_de, *asked_de)),
        tags=tuple(entry.get("tags", ())),
        parts=tuple(entry.get("parts", ())),
    )


def _read_all() -> Mapping[str, Concept]:
    concepts: dict[str, Concept] = {}
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if name in concepts:
                raise ValueError(f"The concept {name} stands in two files, the second is {path.name}")
            concepts[name] = read_concept(name, entry)
    return MappingProxyType(concepts)


@lru_cache(maxsize=1)
def concepts() -> Mapping[str, Concept]:
    """Return the concepts by name. They are read at the first call, which takes about a third of a second."""
    return _read_all()


UPPER_CASE_ONLY: Final = frozenset(
    {"ACL", "ADR", "AP", "APIC", "AR", "ARO", "ASK", "ASKs", "AV", "BEV", "BOLI", "CASK", "CDs", "COLI"}
    | {"CRE", "CSM", "CTA", "DAC", "DAP", "DAU", "DBO", "EAT", "EK", "ES 97.5", "FK", "GLA", "LAE", "LFL"}
    | {"LOE", "LTD", "MAK", "MAU", "NAV", "NOL", "OCF", "OREO", "PIF", "PPE", "RAB", "RASK", "ROTE", "RPM"}
    | {"RSt", "SBA", "SBE", "SGA", "SSS", "TAC", "TER", "UV", "VaR"}
)
"""Asked names that mean something else, or nothing, in lower case; they count only as they are written here."""
_FOLDED_CASES: Final = frozenset(name.upper() for name in UPPER_CASE_ONLY)
_WORD: Final = re.compile(r"[^\W_]+(?:[&'\u2019][^\W_]+)*")
_MOST_WORDS: Final = 14
_SHORTEST_PLURAL: Final = 6
_WITHOUT_UMLAUT: Final = str.maketrans("\u00e4\u00f6\u00fc", "aou")
_ENDING: Final = re.compile(r"(?<=[^\W\d_]{4})(?:e[nrsm]?|n|s)$")


def fold_name(text: str) -> str:
    """Return what makes a name the same as another: its letters and digits, without case, blanks and punctuation."""
    return "".join(each for each in unicodedata.normalize("NFKC", text).casefold() if each.isalnum())


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundConcept:
    """A name of a concept in a text: `text[start:end]`."""

    start: int
    end: int
    concept: Concept


@lru_cache(maxsize=1)
def _by_name() -> Mapping[str, Concept]:
    return {
        fold_name(name): concept
        for concept in concepts().values()
        for name in (concept.name, *concept.labels, *concept.asked)
    }


@lru_cache(maxsize=1)
def _by_tag() -> Mapping[str, Concept]:
    return {tag: concept for concept in concepts().values() for tag in concept.tags}


def find_by_name(name: str) -> Concept | None:
    """Return the concept of a whole label or asked name, however it is spelled in case and punctuation."""
    return _by_name().get(fold_name(name))


def find_in_text(text: str) -> tuple[FoundConcept, ...]:
    """Return the concepts that a text names, left to right; of names that overlap, the longest."""
    words = list(_WORD.finditer(text))
    longest = [found for at in range(len(words)) if (found := _longest_from(text, words[at : at + _MOST_WORDS]))]
    kept: list[FoundConcept] = []
    for each in sorted(longest, key=lambda found: (found.start - found.end, found.start)):
        if all(each.end <= other.start or other.end <= each.start for other in kept):
            kept.append(each)
    return tuple(sorted(kept, key=lambda found: found.start))


def _longest_from(text: str, words: Sequence[re.Match[str]]) -> FoundConcept | None:
    """Return the longest name that begins with the first of the words."""
    for count in range(len(words), 0, -1):
        start, end = words[0].start(), words[count - 1].end()
        name = text[start:end]
        # "Net losses" names what "net loss" does, "kurzfristigen Schulden" what "kurzfristige Schulden" does.
        concept = next(filter(None, map(find_by_name, (name, *_singulars(name)))), None)
        concept = concept or _by_german_form().get(_undeclined(name))
        if concept is not None and not (name.upper() in _FOLDED_CASES and name not in UPPER_CASE_ONLY):
            return FoundConcept(start=start, end=end, concept=concept)
    return None


@lru_cache(maxsize=1)
def _by_german_form() -> Mapping[str, Concept]:
    """Return the concepts by their German names without endings; without a form that names of two concepts have."""
    found: dict[str, Concept | None] = {}
    for concept in concepts().values():
        for name in concept.german:
            form = _undeclined(name)
            found[form] = concept if found.get(form, concept) is concept else None
    return {form: concept for form, concept in found.items() if concept is not None}


def _undeclined(name: str) -> str:
    """Return a name folded, without the endings and the umlauts that its words have by case, number and article."""
    return "".join(_ENDING.sub("", fold_name(word)) for word in name.split()).translate(_WITHOUT_UMLAUT)


def _singulars(name: str) -> tuple[str, ...]:
    """Return what a name in the plural may be in the singular; nothing for a short one: "EPS" is no plural."""
    if len(name) < _SHORTEST_PLURAL or not name.endswith("s"):
        return ()
    return (name[:-1], name[:-2]) if name.endswith("es") else (name[:-1],)


def find_by_tag(tag: str) -> Concept | None:
    """Return the concept of an XBRL element. Args: tag: with its prefix, "us-gaap:Revenues"."""
    return _by_tag().get(tag)


def list_row_labels(concept: Concept) -> tuple[str, ...]:
    """List what rows from which the concept may be read are called: its own labels, then those of its parts."""
    return (*concept.labels, *(label for part in concept.parts for label in concepts()[part].labels))
