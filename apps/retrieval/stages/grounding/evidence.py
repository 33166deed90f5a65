"""The evidence against which an answer is checked: the passages that it cites, each read once, and the question."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.bindings import years_of
from apps.filings.text.numbers import Number, find_stated_scale, read_numbers
from apps.retrieval.contracts import ContextBlock, Passage, QueryAnalysis
from apps.retrieval.stages.figures.in_passages import Figure, read_figures
from apps.retrieval.stages.grounding.labels import Label, read_label
from apps.retrieval.stages.grounding.wording import is_word, word_terms
from apps.retrieval.stages.question.companies import find_named_companies
from apps.retrieval.stages.question.names import bare_name

_SHORT: Final = re.compile(r"\b[A-Z]{2,5}\b")
_ENDS: Final = re.compile(r"[.,()]")
_HOW_MANY: Final = re.compile(r"\bhow\s+many\b|\bwie\s*viele\b", re.IGNORECASE)
_SHORTEST_INITIALS: Final = 2


class Sources:
    """The passages of a context, read once for all sentences of an answer."""

    def __init__(self, context: ContextBlock, analysis: QueryAnalysis) -> None:
        self._context, self._analysis = context, analysis
        self._figures: dict[str, tuple[Figure, ...]] = {}
        self._labels: dict[tuple[str, int], Label] = {}
        self._around: dict[str, frozenset[str]] = {}
        self._words: dict[str, frozenset[str]] = {}
        self.by_ref: dict[str, Passage] = {passage.ref_id: passage for passage in context.passages}
        self._asked_exponent = find_stated_scale(analysis.text)

    def figures(self, passage: Passage) -> tuple[Figure, ...]:
        """Return the figures of a passage."""
        if passage.ref_id not in self._figures:
            self._figures[passage.ref_id] = read_figures(
                passage, asked_exponent=self._asked_exponent, page=self._beside(passage)
            )
        return self._figures[passage.ref_id]

    def _beside(self, passage: Passage) -> list[str]:
        """Return what else of its document is shown, its own page first, then what is shown of its company."""
        own = passage.chunk

        def distance(other: Passage) -> int:
            chunk = other.chunk
            if chunk.document.document_id != own.document.document_id:
                return 2
            return int(chunk.page_start != own.page_start)

        others = [
            each
            for each in self._context.passages
            if each.ref_id != passage.ref_id and each.chunk.document.company == own.document.company
        ]
        return [each.chunk.text for each in sorted(others, key=distance)]

    def label(self, figure: Figure) -> Label:
        """Return the label of the row in which a figure stands."""
        key = (figure.ref_id, figure.at)
        if key not in self._labels:
            self._labels[key] = read_label(figure.label_text, figure.heading, self._language(figure.ref_id))
        return self._labels[key]

    def around(self, passage: Passage) -> frozenset[str]:
        """Return the words above a passage: its headings, its document's title and company, with their initials."""
        if passage.ref_id not in self._around:
            facts, chunk = passage.chunk.document, passage.chunk
            told = "\n".join((chunk.context_header, chunk.section, facts.title, facts.company))
            found = frozenset(term for term in terms(told, chunk.language) if is_word(term))
            self._around[passage.ref_id] = found | short_forms(facts.company)
        return self._around[passage.ref_id]

    def words(self, text: str, language: str) -> frozenset[str]:
        """Return the words of a row or sentence of a passage."""
        if text not in self._words:
            self._words[text] = frozenset(word_terms(text, language))
        return self._words[text]

    def _language(self, ref_id: str) -> str:
        return self.by_ref[ref_id].chunk.language


def short_forms(company: str) -> frozenset[str]:
    """Return what a company may be called beside the words of its name: its initials, and its words as one."""
    words = [_ENDS.sub("", word) for word in bare_name(company) if _ENDS.sub("", word)]
    initials = "".join(word[0] for word in words if word[0].isalnum()).lower()
    joined = "".join(words).lower()
    forms = {joined, initials if len(initials) >= _SHORTEST_INITIALS else joined}
    forms.update(word.lower() for word in words)
    return frozenset(form for form in forms if form)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The passages that a sentence cites, and the question."""

    passages: tuple[Passage, ...]
    analysis: QueryAnalysis
    sources: Sources

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(figure for each in self.passages for figure in self.sources.figures(each))

    @cached_property
    def asked(self) -> tuple[Number, ...]:
        return read_numbers(self.analysis.text, self.analysis.language)

    @cached_property
    def by_ref(self) -> dict[str, Passage]:
        return {passage.ref_id: passage for passage in self.passages}

    @cached_property
    def rows(self) -> tuple[tuple[Figure, ...], ...]:
        """The rows of tables, each as its figures."""
        found: dict[tuple[str, int], list[Figure]] = {}
        for figure in self.figures:
            if figure.is_cell:
                found.setdefault((figure.ref_id, figure.at), []).append(figure)
        return tuple(tuple(row) for row in found.values())

    def row_of(self, figure: Figure) -> tuple[Figure, ...]:
        return tuple(each for each in self.figures if (each.ref_id, each.at) == (figure.ref_id, figure.at))

    def piece_of(self, figure: Figure) -> tuple[Figure, ...]:
        """Return the other figures of the sentence or row in which one stands."""
        return tuple(each for each in self.row_of(figure) if each is not figure)

    @cached_property
    def companies(self) -> frozenset[str]:
        """All companies that may be meant: those of the whole context, and those that the question names."""
        held = {each.chunk.document.company for each in self.sources.by_ref.values()}
        asked = {value for each in self.analysis.filters if each.field.value == "company" for value in each.values}
        return frozenset(each for each in held | asked if each)

    def companies_named(self, text: str) -> frozenset[str]:
        return find_named_companies(text, self.companies)

    @cached_property
    def asked_companies(self) -> frozenset[str]:
        return frozenset(
            value for each in self.analysis.filters if each.field.value == "company" for value in each.values
        )

    @cached_property
    def asked_words(self) -> frozenset[str]:
        """The words of the question that name a figure, with the other names that the glossary knows for it."""
        told = " ".join(
            (
                *(each.text for each in self.analysis.figures),
                *(each.trigger for each in self.analysis.expansions),
                *self.analysis.names,
                "number Anzahl" if _HOW_MANY.search(self.analysis.text) else "",
            )
        )
        named = frozenset(term for term in terms(told, self.analysis.language) if is_word(term))
        return named | frozenset(word_terms(self.analysis.text, self.analysis.language))


@dataclass(slots=True, kw_only=True)
class Said:
    """What the sentences before have said: of which rows, years and companies, and what they calculated.

    first: whether there is none. figures: how many figures they had.
    """

    rows: list[Figure] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    years: frozenset[int] = frozenset()
    companies: frozenset[str] = frozenset()
    first: bool = True
    figures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A figure that an answer calculates, from figures that stand in its passages.

    number: as claimed. operands: the cells from which it is calculated. words: what it may be called.
    """

    number: Number
    operands: tuple[Figure, ...]
    words: frozenset[str]
    ref_id: str


def rows_named(evidence: Evidence, said: frozenset[str]) -> list[tuple[Figure, ...]]:
    """Return the rows that words name in full, those with the longest names."""
    named = [(evidence.sources.label(row[0]).named_by(said), row) for row in evidence.rows]
    full = [(naming.words, row) for naming, row in named if naming.full]
    return [row for words, row in full if not any(words < other for other, _ in full)]


def spell_out(sentence: str, evidence: Evidence) -> str:
    """Return a sentence with the long forms of its abbreviations, if the passages have those alone: "NAV", "EU"."""
    told = " ".join(each.text for each in evidence.passages)
    for short in dict.fromkeys(_SHORT.findall(sentence)):
        if re.search(rf"\b{short}\b", told):
            continue
        letters = r"[\s-]+(?:(?:of|and|the|for)\s+)?".join(rf"{letter}[a-z]+" for letter in short)
        if found := re.search(rf"\b{letters}\b", told):
            sentence = re.sub(rf"\b{short}\b", found.group(), sentence)
    return sentence


def surroundings(passage: Passage) -> str:
    """Return what a passage shows, with the headings and facts above it, to check names, years and periods."""
    chunk = passage.chunk
    facts = chunk.document
    columns = "\n".join(chunk.text.split("\n")[:2])
    return "\n".join((passage.text, columns, chunk.context_header, chunk.section, facts.title, facts.company))


def years_around(passage: Passage) -> frozenset[int]:
    own = passage.chunk.document.fiscal_year
    return years_of(surroundings(passage)) | ({own} if own is not None else frozenset())
