"""Answers of a reading child that was taken over: each is refused as the file's own error, or stored; nothing hangs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from apps.corpus.jobs import RunOutcome
from tests.corpus.ingesting import document, ingest, job, long_report, run
from tests.corpus.taken_over import own_server
from tests.factories import make_firm

pytestmark = pytest.mark.django_db(transaction=True)

# What it found is changed before it is told.
_LYING = """
import dataclasses
from apps.corpus.extraction.errors import CorruptFileError
true, told = server.OPERATIONS["read"]
replace = dataclasses.replace
def lying(content, request, on_page):
    found = true(content, request, on_page)
    page, child = found.pages[0], found.children[0]
    {change}
server.OPERATIONS["read"] = (lying, told)
"""
_DRAFT = "return replace(found, children=[replace(child, draft=replace(child.draft, {0})), *found.children[1:]])"
_POSTING = "return replace(found, postings=[replace(found.postings[0], {0}), *found.postings[1:]])"
CHANGES = {
    "nothing": "return found",
    "a page with NUL": "return replace(found, pages=[replace(page, text='a\\x00b')])",
    "a page without end": "return replace(found, pages=[replace(page, number=2**40)])",
    "a page below one": "return replace(found, pages=[replace(page, number=-1)])",
    "a page twice": "return replace(found, pages=[page, page])",
    "a passage with NUL": _DRAFT.format("text='a\\x00b'"),
    "a passage of no page": _DRAFT.format("page_start=77, page_end=77"),
    "a passage beyond its page": _DRAFT.format("char_start=10**6, char_end=10**6 + 5"),
    "a passage that its page does not hold": _DRAFT.format("text='The fund lost everything.'"),
    "a passage of a huge number": _DRAFT.format("number=2**40"),
    "a digest that is none": "return replace(found, children=[replace(child, content_sha256='x' * 99)])",
    "a term of a megabyte": (
        "return replace(found, postings=[replace(found.postings[0], term='x' * 10**6), *found.postings[1:]])"
    ),
    "a term of no passage": "return replace(found, postings=[replace(found.postings[0], chunk_numbers=[999])])",
    "columns of other lengths": "return replace(found, postings=[replace(found.postings[0], term_frequencies=[])])",
    "a kind of file that runs": "return replace(found, media_type='text/html')",
    "terms below nothing": "return replace(found, term_count=-(2**40))",
    "a term that is never there": _POSTING.format("term_frequencies=[0] * len(found.postings[0].term_frequencies)"),
    "more terms than are counted": "return replace(found, term_count=found.term_count + 1)",
    "another passage's digest": (
        "return replace(found, children=[replace(child, content_sha256='0' * 64), *found.children[1:]])"
    ),
    "a passage twice": "return replace(found, children=[child, *found.children])",
    "a wider context that is no page's": (
        "parent = found.parents[0]\n    return replace(found, parents=["
        "replace(parent, draft=replace(parent.draft, text='The fund lost everything.')), *found.parents[1:]])"
    ),
    "a wider context that is not there": "return replace(found, parents=[])",
    "an error with NUL": "raise CorruptFileError(filename=request.filename, reason='a\\x00b')",
    "an error without end": "raise CorruptFileError(filename=request.filename, reason='x' * 10**6)",
    "an error that is none": "raise CorruptFileError(filename=request.filename, reason=[{1: 2}] * 10**4)",
    "a failure of many lines": "raise type('a\\n' * 99, (Exception,), {})",
    "another file's error": "raise CorruptFileError(filename='b.pdf', reason='a\\nb')",
    "a title without end": "return replace(found, about=replace(found.about, title='x' * 10**6))",
    "a title with NUL": "return replace(found, about=replace(found.about, title='a\\x00b'))",
}
# A lie about the file's own content can't be told from the truth: it is stored, cut to what a title may have.
STORED = ("nothing", "a title without end")


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    with own_server(monkeypatch, _LYING.replace("{change}", CHANGES[request.param])):
        yield


@pytest.mark.parametrize(("lying", "change"), [(each, each) for each in CHANGES], indirect=["lying"], ids=list(CHANGES))
@pytest.mark.usefixtures("lying")
def test_an_answer_ends_as_the_files_own_error_or_as_a_document(change: str) -> None:
    acme = make_firm("acme")
    result = ingest(acme, long_report(6))
    outcome = run(acme, result.job)
    after, stored = job(acme, result.job.id), document(acme, result.document.id)
    ended = (outcome, after.error_code, after.attempts, stored.status)
    # Not tried again: it would be the same each time.
    assert outcome in (RunOutcome.SUCCEEDED, RunOutcome.FAILED), ended
    assert (stored.status == "ready") == (change in STORED), ended
    assert (outcome is RunOutcome.SUCCEEDED) == (change in STORED), ended


@pytest.mark.slow
@pytest.mark.parametrize("lying", ["another file's error"], indirect=True)
@pytest.mark.usefixtures("lying")
def test_an_error_is_of_the_file_that_was_read() -> None:
    acme = make_firm("acme")
    result = ingest(acme)
    run(acme, result.job)
    assert job(acme, result.job.id).error_detail.startswith("report.md is damaged (a b).")


@pytest.mark.slow
@pytest.mark.parametrize("lying", ["a failure of many lines"], indirect=True)
@pytest.mark.usefixtures("lying")
def test_it_writes_no_line_of_its_own_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    acme = make_firm("acme")
    run(acme, ingest(acme).job)
    (said,) = (each.getMessage() for each in caplog.records if "the reader failed" in each.getMessage())
    assert "\n" not in said
