"""The DPO's pages, as a reader sees them: what stands there, what can be done, and for whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.urls import reverse

from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import SubjectType
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.requests.details import details_of, letter_text
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.removing import documents
from tests.audit.requesting import EMAIL, NAME, SECRETS, Office, days_ago
from tests.deciding import document_delete, withdraw
from tests.factories import as_, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db
S = RequestState


@pytest.fixture
def dora(office: Office) -> Visitor:
    return Visitor("dora")


def only(office: Office) -> ErasureRequest:
    with open_scope(tenant=office.firm.id, reason="a test"):
        found: ErasureRequest = ErasureRequest.objects.get()
        return found


def test_the_list_is_by_time_left_and_says_it_in_words(office: Office, dora: Visitor) -> None:
    late, soon = office.received(received_at=days_ago(60)), office.received(received_at=days_ago(28))
    closed = office.received(received_at=days_ago(90))
    with as_(office.dora):
        withdraw(closed.id, words="They called.")
    page = dora.open("erasure_requests")
    rows = page.rows()
    assert [row.split()[0] for row in rows] == [late.reference, soon.reference]
    assert "▲ overdue by" in rows[0]
    assert "left" in rows[1] or "due today" in rows[1]
    assert closed.reference in dora.open("erasure_requests", which="finished").text
    assert page.response.request["PATH_INFO"] in page.sidebar


def test_the_list_and_its_search_hold_no_name(office: Office, dora: Visitor) -> None:
    request = office.received()
    page = dora.open("erasure_requests")
    assert not any(secret in page.response.content.decode() for secret in SECRETS)
    assert "No request matches" in dora.open("erasure_requests", q=NAME).text
    assert request.reference in dora.open("erasure_requests", q=request.reference).text


def test_an_empty_list_says_how_to_fill_it(dora: Visitor, office: Office) -> None:
    page = dora.open("erasure_requests")
    assert "No request is open" in page.text
    assert "Take in a request" in page.text
    assert "Take in a request" not in Visitor("ada").open("erasure_requests").text


def test_a_person_is_taken_in_with_what_is_known_of_them(office: Office, dora: Visitor) -> None:
    assert "What is the request about?" in dora.open("erasure_request_receive").text
    form: dict[str, Any] = {
        "received_at": "2026-01-31T10:00",
        "names": f"{NAME}\n\n{NAME}\nQ. Z.",
        "requester": "person",
        "requester_name": NAME,
        "requester_email": EMAIL,
        "language": "de",
    }
    page = dora.post("/admin/privacy/requests/receive/?subject=data_subject", form)
    request = only(office)
    assert page["Location"].endswith(f"/privacy/requests/{request.id}/")
    with as_(office.dora):
        details = details_of(request)
        assert details is not None
        assert details.names == (NAME, "Q. Z.")
    assert (request.language, request.due_on.isoformat()) == ("de", "2026-03-02")


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"names": ""}, "names", "Enter how the person can be found"),
        ({"received_at": "2099-01-01T10:00"}, "received_at", "is in the future"),
        ({"requester_email": "nobody"}, "requester_email", "Enter one e-mail address"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    office: Office, dora: Visitor, given: dict[str, str], field: str, words: str
) -> None:
    from tests.visitor import Page

    form = {"received_at": "2026-01-31T10:00", "names": NAME, "requester": "person", "language": "en", **given}
    page = Page(dora.post("/admin/privacy/requests/receive/?subject=data_subject", form))
    assert page.status == 422
    assert words in page.errors_of(field)


def test_the_page_says_what_it_is_by_when_and_what_to_do(office: Office, dora: Visitor) -> None:
    request = office.received(received_at=days_ago(3))
    page = dora.open("erasure_request", request.id)
    for part in (request.reference, "days left", "What to do next", "Identity is clear: assess the request", NAME):
        assert part in page.text
    assert page.response["Cache-Control"].startswith("no-store")


def test_who_reads_the_log_sees_that_it_is_there_and_not_whom_it_is_about(office: Office) -> None:
    request = office.received()
    page = Visitor("ada").open("erasure_request", request.id)
    assert request.reference in page.text
    assert "not whom it is about" in page.text
    assert not any(secret in page.response.content.decode() for secret in SECRETS)
    assert Visitor("ada").send("erasure_request", request.id, act="confirm").status == 403


@pytest.mark.slow
def test_an_analyst_and_another_firm_see_nothing(office: Office) -> None:
    request = office.received()
    make_member(office.firm, "anna", Role.ANALYST)
    make_member(make_firm("bolt"), "bella", Role.DPO)
    assert Visitor("anna").open("erasure_requests").status == 403
    assert Visitor("bella").open("erasure_request", request.id).status == 404
    assert Visitor("bella").open("erasure_requests").rows() == []


def test_the_way_of_a_scope_to_the_second_person(office: Office, dora: Visitor) -> None:
    request = office.received(about=SubjectType.SCOPE)
    dora.send("erasure_request", request.id, act="confirm")
    refused = dora.send("erasure_request", request.id, act="assess")
    assert refused.status == 422
    assert "Choose the ground" in refused.errors_of("assess-ground")
    dora.send("erasure_request", request.id, **{"act": "assess", "assess-ground": "28_3_g"})
    page = dora.open("erasure_request", request.id)
    assert "Propose the erasure to a second person" in page.text
    assert "fund:alpha" in page.text


def test_a_letter_is_read_and_changed_before_it_goes(office: Office, dora: Visitor) -> None:
    request = office.received(received_at=days_ago(3))
    first = dora.open("erasure_request_step", request.id, "extend")
    assert "Go on to the letter" in first.text
    assert "can't be taken back" in first.text
    missing = dora.send("erasure_request_step", request.id, "extend", phase="write", code="number", words="")
    assert "Say why" in missing.errors_of("words")
    step = {"code": "number", "words": "Two hundred came at once."}
    second = dora.send("erasure_request_step", request.id, "extend", phase="write", **step)
    (body,) = second.tree.xpath("//textarea[@name='body']/text()")
    assert step["words"] in body
    assert only(office).extended_at is None
    sent = dora.send(
        "erasure_request_step",
        request.id,
        "extend",
        phase="send",
        delivery="email",
        subject="More time",
        body="My own words.",
        **step,
    )
    assert sent.status == 302
    assert only(office).extended_at is not None
    with as_(office.dora):
        text = letter_text(Letter.objects.select_related("request").get())
    assert text is not None
    assert (text.to, text.subject, text.body) == (EMAIL, "More time", "My own words.")
    assert mail.outbox == []
    page = dora.open("erasure_request", request.id)
    assert "Extend by two months" not in page.text
    assert "We need two further months Waits to be sent" in page.text


@pytest.mark.slow
def test_a_letter_by_e_mail_without_an_address_is_refused_beside_its_field(office: Office, dora: Visitor) -> None:
    from apps.privacy.requests.details import Details

    request = office.received(details=Details(names=("Q. Z.",)))
    page = dora.send(
        "erasure_request_step", request.id, "received", phase="send", delivery="email", subject="x", body="y"
    )
    assert page.status == 422
    assert "no e-mail address" in page.errors_of("delivery")
    posted = dora.send(
        "erasure_request_step", request.id, "received", phase="send", delivery="post", subject="x", body="y"
    )
    assert posted.status == 302
    page = dora.open("erasure_request", request.id)
    assert "needs you" in page.text
    with as_(office.dora):
        letter = Letter.objects.get()
    dora.send("erasure_request", request.id, act="letter_settle", letter=letter.id)
    assert "needs you" not in dora.open("erasure_request", request.id).text


def test_facts_are_changed_and_a_page_that_grew_old_saves_nothing(office: Office, dora: Visitor) -> None:
    request = office.received()
    page = dora.open("erasure_request_facts", request.id)
    (seen,) = page.tree.xpath("//input[@name='seen']/@value")
    form = {"seen": seen, "names": "Q. Z.", "requester_name": "Q. Z."}
    assert dora.send("erasure_request_facts", request.id, **form).status == 302
    again = dora.send("erasure_request_facts", request.id, **form)
    assert "has changed since you read it" in again.text
    with as_(office.dora):
        details = details_of(only(office))
    assert details is not None
    assert details.names == ("Q. Z.",)


def test_a_refusal_is_for_good(office: Office, dora: Visitor) -> None:
    request = office.received()
    step = {"code": "17_3_e", "words": "There is a claim."}
    sent = {"phase": "send", "delivery": "email", "subject": "No", "body": "No."}
    assert dora.send("erasure_request_step", request.id, "refuse", **step, **sent).status == 302
    page = dora.open("erasure_request", request.id)
    assert "it is refused, and nothing was erased" in page.text
    assert "Article 17(3)(e)" in page.text
    assert dora.send("erasure_request", request.id, act="confirm").status == 409


def test_the_start_page_says_what_waits(office: Office, dora: Visitor) -> None:
    office.received(received_at=days_ago(60))
    text = dora.open("index").text
    assert "1 Access and erasure requests overdue" in text
    assert "1 Open access and erasure requests" in text
    assert "rasure requests" not in Visitor("rita").open("index").text


def test_what_the_request_is_about_is_linked_as_long_as_it_is_there(office: Office, dora: Visitor) -> None:
    (target,) = documents(office.firm, 1)
    request = office.received(about=SubjectType.DOCUMENT, subject_id=target.id)
    page = reverse("admin:corpus_document_change", args=[target.id])
    assert page in dora.open("erasure_request", request.id).links
    with as_(office.dora):
        document_delete(document_id=target.id)
    assert page not in dora.open("erasure_request", request.id).links
