"""How many questions of figures are answered rightly from the whole of a company's reports, without retrieval.

This holds the reading of forms and rows. How the whole way does is measured by `manage.py evaluate` (see __main__.py).
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, Final

from apps.corpus.chunking.chunker import chunk_document
from apps.corpus.chunking.contracts import DocumentFacts as ChunkFacts
from apps.corpus.extraction.extract import extract
from apps.retrieval.contracts import Candidate, ContextBlock, QueryAnalysis
from apps.retrieval.generation.extractive import ExtractiveGenerator
from tests.evaluation.forms.companies import Company, companies_of
from tests.evaluation.forms.questions import questions_of
from tests.evaluation.forms.reports import report
from tests.evaluation.judging import outcome
from tests.retrieval.builders import analysed, budget, candidate, context_of, document, entry

SET: Final = "open"
EVERY: Final = 3
"""One in so many questions is asked; over the whole set, each form in each of its wordings."""
FEWEST_RIGHT: Final = 0.78
MOST_WRONG: Final = 0.09


@cache
def passages(name: str) -> tuple[Candidate, ...]:
    company = next(each for each in companies_of(SET) if each.spec["name"] == name)
    found: list[Candidate] = []
    for year in company.reports:
        id_ = company.document_id(year)
        facts = document(len(found) + year, title=id_, company=name, fiscal_year=year, document_type="report")
        read = extract(report(company, year).encode(), filename=f"{id_}.{company.spec['format']}")
        about = ChunkFacts(title=id_, company=name, period=f"FY{year}", document_type="report")
        drafts = chunk_document(read, facts=about, count_tokens=lambda texts: [len(text) // 4 for text in texts])
        found.extend(
            candidate(
                draft.text,
                10_000 * year + 100 * len(name) + draft.number,
                facts=facts,
                header=draft.context_header,
                page=draft.page_start,
                language=company.language,
            )
            for draft in drafts
            if not draft.is_parent
        )
    return tuple(found)


def read(row: dict[str, Any], companies: tuple[Company, ...]) -> tuple[QueryAnalysis, ContextBlock]:
    entries = [
        entry(each.spec["name"], year, document_type="report") for each in companies_of(SET) for year in each.reports
    ]
    analysis = analysed(row["text"], *entries, language=companies[0].language)
    found = [each for company in companies for each in passages(company.spec["name"])]
    return analysis, context_of(analysis, found, budgets=[budget(cap_chars=90_000)], total_cap_chars=90_000)


def test_most_questions_are_answered_rightly_and_few_wrongly() -> None:
    generator, counted, asked = ExtractiveGenerator(), Counter[str](), 0
    for index, question in enumerate(questions_of(SET)):
        row = question.row()
        if index // EVERY % EVERY or not row["relevant"]:
            continue
        documents = {each["document"] for each in row["relevant"]}
        companies = tuple(
            each for each in companies_of(SET) if documents & {each.document_id(year) for year in each.reports}
        )
        analysis, context = read(row, companies)
        counted[outcome(row, generator.generate(analysis, context), analysis, context)] += 1
        asked += 1
    assert counted["right"] >= FEWEST_RIGHT * asked, counted
    assert counted["wrong"] <= MOST_WRONG * asked, counted
