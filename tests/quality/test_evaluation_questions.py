"""The tenant's own evaluation questions: added, listed and removed, each within its scope."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.selectors import payloads_of
from apps.corpus.models import Document
from apps.quality.events import EVALUATION_ADDED, EVALUATION_REMOVED
from apps.quality.models import EvaluationQuery
from apps.quality.page_numbers import parse_pages, render_pages
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, as_, make_member
from tests.quality.impacting import expects, recorded
from tests.retrieval.asking import ALPHA, QUESTION
from tests.visitor import Page, Visitor


@pytest.fixture
def officer(firm: Firm) -> Principal:
    return make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def olivia(officer: Principal) -> Visitor:
    return Visitor("olivia")


def slug(firm: Firm, filename: str) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        return str(Document.objects.get(filename=filename).slug)


def add(firm: Firm, visitor: Visitor, **fields: str) -> Page:
    given = {"text": QUESTION, "scope": "firm:acme", "document": slug(firm, "alpha.md"), "pages": "", **fields}
    return visitor.send("evaluation_question_add", **given)


def queries(firm: Firm) -> list[EvaluationQuery]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(EvaluationQuery.objects.all())


# --- pages as people write them ---


@pytest.mark.parametrize(
    ("text", "pages"),
    [("", ()), ("4", (4,)), ("4, 7-9", (4, 7, 8, 9)), (" 9-9,4 , 4", (4, 9)), ("2\u20133", (2, 3))],
)
def test_pages_are_read_as_people_write_them(text: str, pages: tuple[int, ...]) -> None:
    assert parse_pages(text) == pages


@pytest.mark.parametrize("text", ["0", "a", "9-7", "1-", "-3", "1;2", "1-500", "1-150, 200-300", "9999999"])
def test_what_is_no_page_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"4, 7-9|leave the field empty"):
        parse_pages(text)


@given(st.sets(st.integers(1, 5000), max_size=200))
def test_pages_survive_being_written_and_read(pages: set[int]) -> None:
    assert parse_pages(render_pages(pages)) == tuple(sorted(pages))


# --- the page ---


@pytest.mark.django_db
def test_an_officer_adds_a_question_and_it_is_listed_with_its_document(firm: Firm, olivia: Visitor) -> None:
    page = add(firm, olivia, pages="1")
    assert page.status == 302
    shown = olivia.open("evaluation_questions")
    assert all(part in shown.text for part in (QUESTION, "Alpha Fund", "firm:acme", "olivia"))
    assert reverse("admin:evaluation_questions") in shown.sidebar
    (query,) = queries(firm)
    assert (query.pages, query.created_by) == ([1], "olivia")


@pytest.mark.django_db
def test_a_title_will_do_for_the_document(firm: Firm, olivia: Visitor) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        title = Document.objects.get(filename="alpha.md").title
    assert add(firm, olivia, document=title).status == 302


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("text", "  ", "The question is empty"),
        ("text", "x" * 501, "501"),
        ("document", "no-such-document", "no searchable document"),
        ("pages", "9-7", "is not a page"),
        ("pages", "5", "there is no page 5"),
        ("scope", "fund:beta", "is in fund:alpha"),
        ("scope", "fund:none", "not one of the available choices"),
    ],
)
def test_a_refusal_stands_beside_its_field(firm: Firm, olivia: Visitor, field: str, value: str, said: str) -> None:
    page = add(firm, olivia, **{field: value})
    assert page.status == 422
    assert said in page.errors_of(field)
    assert queries(firm) == []


@pytest.mark.django_db
def test_the_same_question_is_not_asked_twice_in_a_scope(firm: Firm, olivia: Visitor) -> None:
    add(firm, olivia)
    assert "firm:acme already has this question" in add(firm, olivia).errors_of("text")
    assert add(firm, olivia, scope="fund:alpha").status == 302


@pytest.mark.django_db
def test_a_question_is_removed_after_a_second_look(firm: Firm, olivia: Visitor) -> None:
    add(firm, olivia)
    (query,) = queries(firm)
    assert QUESTION in olivia.open("evaluation_question_remove", query.id).text
    assert queries(firm) == [query]
    olivia.send("evaluation_question_remove", query.id)
    assert queries(firm) == []


@pytest.mark.django_db
def test_both_acts_are_recorded_with_a_digest_and_no_text(firm: Firm, olivia: Visitor) -> None:
    add(firm, olivia, pages="1")
    (query,) = queries(firm)
    olivia.send("evaluation_question_remove", query.id)
    events = [*recorded(firm, EVALUATION_ADDED), *recorded(firm, EVALUATION_REMOVED)]
    assert len(events) == 2
    with open_scope(tenant=firm.id, reason="a test"):
        payloads = payloads_of(events).values()
    for payload in payloads:
        assert payload["core"] == {"series_id": str(query.series_id), "pages": [1]}
        assert payload["question"]["length_chars"] == len(QUESTION)
        assert "drawdown" not in json.dumps(payload)
    assert [event.scope_ids for event in events] == [[query.scope_id]] * 2


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.REVIEWER, Role.ANALYST, Role.AUDITOR])
def test_who_may_not_edit_a_policy_reads_them_and_no_more(firm: Firm, olivia: Visitor, role: Role) -> None:
    add(firm, olivia)
    make_member(firm, "andy", role)
    andy = Visitor("andy")
    page = andy.open("evaluation_questions")
    assert QUESTION in page.text
    assert not any("/add/" in link or "/remove/" in link for link in page.links)
    (query,) = queries(firm)
    assert andy.open("evaluation_question_add").status == 403
    assert add(firm, andy, text="Another?").status == 403
    assert andy.send("evaluation_question_remove", query.id).status == 403
    assert queries(firm) == [query]


# --- the wall ---


@pytest.mark.django_db
def test_a_question_is_seen_by_who_holds_its_scope_alone(firm: Firm, officer: Principal) -> None:
    expects(officer, QUESTION, document="alpha.md", scope="fund:alpha")
    make_member(firm, "berta", Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])
    berta = Visitor("berta")
    page = berta.open("evaluation_questions")
    assert "drawdown" not in page.text
    assert "alpha" not in page.text
    (query,) = queries(firm)
    assert berta.send("evaluation_question_remove", query.id).status == 404
    assert queries(firm) == [query]


@pytest.mark.django_db
def test_a_document_that_one_may_not_see_is_not_suggested_and_looks_unknown(firm: Firm) -> None:
    make_member(firm, "berta", Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])
    berta = Visitor("berta")
    page = berta.open("evaluation_question_add")
    assert page.tree.xpath("//datalist[@id='evaluation-documents']/option/@value") == [slug(firm, "beta.md")]
    hidden = add(firm, berta, scope="fund:beta").errors_of("document")
    unknown = add(firm, berta, scope="fund:beta", document="no-such").errors_of("document")
    assert hidden.replace(slug(firm, "alpha.md"), "no-such") == unknown


@pytest.mark.django_db
def test_a_new_version_of_the_document_is_expected_in_its_place(firm: Firm, officer: Principal) -> None:
    query = expects(officer, QUESTION, document="alpha.md", scope="fund:alpha")
    with open_scope(tenant=firm.id, reason="a test"):
        first = Document.objects.get(filename="alpha.md")
    run(firm, ingest(firm, ALPHA + b"\n\nAmended.\n", filename="alpha.md", replaces=first.id).job)
    with as_(officer):
        newest = Document.objects.get(series_id=query.series_id, status="ready")
    assert newest.id != first.id
    page = Visitor("olivia").open("evaluation_questions")
    assert any(str(newest.id) in link for link in page.links)
