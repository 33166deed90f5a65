"""The folder is what it says: every kind and type, the same bytes twice, each answer on the page that is named."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from apps.corpus.extraction import ExtractedDocument, extract
from apps.corpus.kinds import DocumentType
from apps.corpus.services.ingest.manifest import plan
from apps.intents.baseline import baseline_snapshot
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.kinds import kinds_of
from tests.evaluation import tarnwick
from tests.evaluation.folder import content_of, main, page_of, source_named, write_folder
from tests.evaluation.questions import QUESTIONS, TWINS, Evidence, Question, QuestionType
from tests.evaluation.sources import SOURCES, Source

EVIDENCE = [(question, evidence) for question in QUESTIONS for evidence in question.evidence]


@cache
def extracted(document: str) -> ExtractedDocument:
    source = source_named(document)
    return extract(content_of(source), filename=source.file)


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def words(source: Source) -> Counter[str]:
    return Counter(re.findall(r"[^\W\d]+", " ".join(page.text for page in extracted(source.id).pages)))


# --- what is there ---


def test_every_kind_is_there() -> None:
    assert {source.kind for source in SOURCES} == set(FUND_HOUSE)


def test_every_format_is_there() -> None:
    assert {source.file.rsplit(".", 1)[1] for source in SOURCES} == {"pdf", "docx", "html", "md", "csv", "json"}


@pytest.mark.slow
def test_both_languages_are_read_as_such() -> None:
    longer = [source for source in SOURCES if source.file.endswith(("pdf", "docx", "html"))]
    assert {source.language for source in longer} == {"en", "de"}
    assert [source.id for source in longer if extracted(source.id).language != source.language] == []


def test_filings_releases_calls_and_news_are_there() -> None:
    held = {source.document_type for source in SOURCES}
    assert set(DocumentType) - held == set()


def test_every_type_of_question_is_there() -> None:
    counted = Counter(question.type for question in QUESTIONS)
    assert set(counted) == set(QuestionType)
    assert min(counted.values()) >= 3
    assert counted[QuestionType.UNANSWERABLE] == 12
    assert sum(counted[each] for each in TWINS) >= 30


def test_ids_files_and_texts_are_unique() -> None:
    for values in (
        [source.id for source in SOURCES],
        [source.file for source in SOURCES],
        [question.id for question in QUESTIONS],
        [question.text for question in QUESTIONS],
    ):
        assert [value for value, times in Counter(values).items() if times > 1] == []


def test_no_document_is_longer_than_fourteen_pages() -> None:
    assert max(len(extracted(source.id).pages) for source in SOURCES) <= 14


# --- where the answers are ---


@pytest.mark.parametrize(
    ("question", "evidence"), EVIDENCE, ids=[f"{question.id}-{evidence.document}" for question, evidence in EVIDENCE]
)
def test_the_page_that_is_named_holds_the_words_and_no_other_page_of_the_document_does(
    question: Question, evidence: Evidence
) -> None:
    holding = [page.number for page in extracted(evidence.document).pages if holds(page.text, evidence.words)]
    assert holding == [page_of(evidence)], question.text


def holds(text: str, wanted: tuple[str, ...]) -> bool:
    plain = " ".join(text.split())
    return all(" ".join(each.split()) in plain for each in wanted)


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.type in TWINS], ids=lambda each: each.id)
def test_a_twin_says_otherwise(question: Question) -> None:
    """What is asked of one report stands in none of those made of the same template."""
    for evidence in question.evidence:
        own = source_named(evidence.document)
        for source in SOURCES:
            if source.template == own.template and source is not own:
                assert not any(holds(page.text, evidence.words) for page in extracted(source.id).pages), source.id


def test_a_question_without_an_answer_names_no_page(folder: Path) -> None:
    empty = [row["id"] for row in rows(folder, "queries.jsonl") if not row["relevant"]]
    assert empty == [question.id for question in QUESTIONS if question.type is QuestionType.UNANSWERABLE]


# --- reports of several years ---


@pytest.mark.parametrize("template", ["tarnwick_10k.txt", "fund_report.txt", "energy_10k.txt", "velmora_10k.txt"])
def test_reports_of_two_years_share_at_least_four_fifths_of_their_words(template: str) -> None:
    twins = [source for source in SOURCES if source.template == template and "income" not in source.id]
    for one, other in combinations(twins, 2):
        before, after = words(one), words(other)
        assert (before & after).total() >= 0.8 * max(before.total(), after.total()), (one.id, other.id)


@pytest.mark.parametrize("year", sorted(tarnwick.LINES))
def test_the_statements_add_up(year: int) -> None:
    lines = tarnwick.LINES[year]
    assert lines["gross"] - lines["sga"] - lines["rd"] == lines["ebit"]
    assert lines["cfo"] + lines["cfi"] + lines["cff"] == lines["cash_change"]
    assert lines["borrowings"] + lines["dividends"] + lines["buybacks"] == lines["cff"]
    owed = lines["current_liabilities"] + lines["long_debt"] + lines["other_liabilities"]
    assert owed + lines["equity"] == lines["assets"]
    assert lines["us"] + lines["europe"] + lines["rest"] == lines["revenue"]
    assert lines["short_debt"] + lines["long_debt"] == 350 + lines["term_loan"] + lines["other_debt"]


def test_cash_goes_on_from_one_year_to_the_next() -> None:
    for year in (2021, 2022, 2023, 2024):
        assert tarnwick.LINES[year]["cash"] - tarnwick.LINES[year - 1]["cash"] == tarnwick.LINES[year]["cash_change"]


# --- the files ---


@pytest.mark.slow
def test_the_same_bytes_are_written_twice(folder: Path, tmp_path: Path) -> None:
    write_folder(tmp_path)
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert [name for name in files if (folder / name).read_bytes() != (tmp_path / name).read_bytes()] == []


def test_the_manifest_is_one_that_ingest_reads(folder: Path) -> None:
    kinds = kinds_of(baseline_snapshot())
    planned = plan(paths=[], manifest=folder / "documents.jsonl", defaults={}, default_kind="", kinds=kinds)
    assert [file.error for file in planned if file.error] == []
    by_file = {file.path.name: file for file in planned if file.path and file.metadata}
    assert set(by_file) == {source.file for source in SOURCES}
    for source in SOURCES:
        metadata = by_file[source.file].metadata
        assert metadata is not None
        assert (by_file[source.file].kind, metadata.title) == (source.kind, source.title)
        assert (metadata.company, metadata.published_on) == (source.company, source.published_on)


def test_relevant_pages_are_of_documents_that_are_listed(folder: Path) -> None:
    listed = {row["id"] for row in rows(folder, "documents.jsonl")}
    named = {each["document"] for row in rows(folder, "queries.jsonl") for each in row["relevant"]}
    assert named - listed == set()


def test_the_command_writes_the_same_folder_and_says_what_is_in_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(tmp_path / "by hand")])
    for name in ("documents.jsonl", "queries.jsonl"):
        assert (tmp_path / "by hand" / name).read_bytes() == (folder / name).read_bytes()
    assert f"{len(SOURCES)} documents and {len(QUESTIONS)} questions" in capsys.readouterr().out


def test_the_command_says_when_a_file_is_in_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(SystemExit):
        main([str(tmp_path / "taken")])
    assert "is a file; name a directory" in capsys.readouterr().err
