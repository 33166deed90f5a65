"""Questions of figures in the words of many: how many are answered rightly from all reports of their companies.

The folders were written by somebody who had not seen the code: invented companies of many trades, each with tables in a
layout of its own, and no two questions alike. Questions of `open` may be looked at. Those of `kept` measure only while
nobody reads them.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from apps.corpus.chunking.chunker import chunk_document
from apps.corpus.chunking.contracts import DocumentFacts as ChunkFacts
from apps.corpus.extraction.extract import extract
from apps.quality.evaluation.folder import read_folder
from apps.retrieval.contracts import Candidate
from apps.retrieval.generation.extractive import ExtractiveGenerator
from tests.evaluation.judging import outcome
from tests.retrieval.builders import analysed, budget, candidate, context_of, document, entry

FOLDERS: Final = Path(__file__).with_name("varied")
EVERY: Final = 3
"""One in so many questions is asked."""
FEWEST_RIGHT: Final = 0.5
MOST_WRONG: Final = 0.16


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDERS / "open" / name).read_text(encoding="utf-8").splitlines()]


@cache
def passages(id_: str) -> tuple[Candidate, ...]:
    number, row = next((number, each) for number, each in enumerate(lines("documents.jsonl")) if each["id"] == id_)
    named = {"title": row["title"], "company": row["company"], "document_type": row["document_type"]}
    facts = document(1000 + number, fiscal_year=row["period"], **named)
    file = FOLDERS / "open" / row["file"]
    about = ChunkFacts(period=f"FY{row['period']}", **named)
    drafts = chunk_document(
        extract(file.read_bytes(), filename=file.name),
        facts=about,
        count_tokens=lambda texts: [len(text) // 4 for text in texts],
    )
    return tuple(
        candidate(
            draft.text,
            100_000 * (number + 1) + draft.number,
            facts=facts,
            header=draft.context_header,
            page=draft.page_start,
            language=row["language"],
        )
        for draft in drafts
        if not draft.is_parent
    )


@pytest.mark.parametrize("set_", ["open", "kept"])
def test_a_folder_is_read_and_every_question_can_be_judged(set_: str) -> None:
    folder = read_folder(FOLDERS / set_)
    assert len(folder.failures) + len(folder.notes) == 0
    assert sum(bool(query.relevant) and not query.accepts for query in folder.queries) == 0
    assert {query.language for query in folder.queries} == {"de", "en"}


def test_questions_are_answered_rightly_and_few_wrongly() -> None:
    documents = lines("documents.jsonl")
    held = [entry(each["company"], each["period"], document_type="report") for each in documents]
    generator, counted = ExtractiveGenerator(), Counter[str]()
    for row in [each for each in lines("queries.jsonl") if each["relevant"]][::EVERY]:
        relevant = {each["document"] for each in row["relevant"]}
        companies = {each["company"] for each in documents if each["id"] in relevant}
        found = [piece for each in documents if each["company"] in companies for piece in passages(each["id"])]
        analysis = analysed(row["text"], *held, language=row["language"])
        context = context_of(analysis, found, budgets=[budget(cap_chars=90_000)], total_cap_chars=90_000)
        counted[outcome(row, generator.generate(analysis, context), analysis, context)] += 1
    asked = counted.total()
    assert counted["right"] >= FEWEST_RIGHT * asked, counted
    assert counted["wrong"] <= MOST_WRONG * asked, counted
