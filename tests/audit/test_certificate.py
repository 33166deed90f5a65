"""Certificates: what is in one, that an altered one is found out, the command, the pages, the files and the API."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.urls import reverse
from django.utils.html import strip_tags

from apps.audit.ids import new_id
from apps.audit.log.epochs import origin_of
from apps.audit.log.notes import Checkpoint, SigningKey, signed
from apps.audit.models import Checkpoint as SignedCheckpoint
from apps.erasure.certificate.checking import checked, holds
from apps.erasure.certificate.document import document_of
from apps.erasure.certificate.issuing import digest_of, issue_all, issue_tenant, note_origin
from apps.erasure.models import Certificate, RemovalRun
from apps.erasure.tasks import issue_certificates
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from config.celery import app
from tests.api.client import Api
from tests.audit.acting import as_worker, checkpointed, sealed
from tests.audit.mutations import acting_as
from tests.audit.proving import as_administrator, certified, ending, issued, looked_at
from tests.audit.removing import again, approved, asked, documents
from tests.baked import baked
from tests.factories import Firm, make_firm, make_key, make_member
from tests.raising import raises_code
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "/api/v1/privacy/certificates/"
Json = dict[str, Any]


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "checkpoints")
    return baked(make_firm, "acme")


def file_of(firm: Firm, certificate: Certificate) -> Json:
    with open_scope(tenant=firm.id, reason="a test"):
        content: Json = json.loads(json.dumps(document_of(certificate)))
    return content


def refused(document: Any) -> list[str]:
    """The labels of the checks that fail."""
    return [check.label.split()[0] for check in checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS) if check.problem]


def newly_signed(document: Json) -> Json:
    """By somebody with a key of their own, which they call by the same name."""
    body = document["certificate"]
    key = SigningKey(name=settings.GLASSBOX_LOG_VERIFY_KEYS[0].name, seed=b"\1" * 32)
    state = Checkpoint(origin=note_origin(body["tenant"]), size=body["number"], root=digest_of(body))
    return {**document, "note": signed(state, key)}


def set_to(*path: str | int, value: Any) -> Callable[[Json], None]:
    def alter(document: Json) -> None:
        place: Any = document
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value

    return alter


# Each alteration, and the first words of the checks that must fail.
ALTERATIONS: list[tuple[Callable[[Json], None], list[str]]] = [
    (set_to("certificate", "outcome", value="completed!"), ["Signed", "The"]),
    (set_to("certificate", "scan", "hits", value=1), ["Signed", "Consistent", "The"]),
    (set_to("certificate", "stores", 0, "remaining", value=2), ["Signed", "Consistent", "The"]),
    (set_to("certificate", "control", "found", value=2), ["Signed", "Consistent", "The"]),
    (set_to("certificate", "physical", "complete", value=False), ["Signed", "Consistent", "The"]),
    (set_to("certificate", "manifest", value="0" * 64), ["Signed", "The", "The"]),
    (set_to("certificate", "number", value=2), ["Signed"]),
    (set_to("certificate", "log", "root", value="0" * 64), ["Signed", "The", "The"]),
    (set_to("targets", 0, value="0" * 64), ["The"]),
    (set_to("targets", value=[]), []),  # the list may be left out: its root is signed
    (set_to("proof", "path", value=[]), ["The"]),
    (set_to("proof", "header", "outcome", value="failed"), ["The"]),
    (set_to("proof", "core", "content", value="{}"), ["The"]),
    (set_to("note", value="a note"), ["Signed"]),
    (set_to("certificate", value={}), ["Signed", "Consistent", "The", "The", "The", "The"]),
]


@pytest.mark.slow
def test_an_altered_certificate_is_found_out(acme: Firm) -> None:
    document = file_of(acme, certified(acme, [*asked(acme, 3), *documents(acme, 1)]))
    assert refused(document) == []
    for number, (alter, expected) in enumerate(ALTERATIONS):
        altered = copy.deepcopy(document)
        alter(altered)
        assert refused(altered) == expected, number
    altered = copy.deepcopy(document)
    altered["certificate"]["outcome"] = "partially_completed"
    assert refused(newly_signed(altered)) == ["Signed", "The"]
    # A checkpoint's signature does not pass for a certificate's, though it is of the same key.
    assert refused({**document, "note": document["proof"]["checkpoint"]}) == ["Signed"]
    for nonsense in (None, [], "text", {"certificate": []}):
        assert not holds(checked(nonsense, settings.GLASSBOX_LOG_VERIFY_KEYS))
    assert not holds(checked(document, ()))


@pytest.mark.slow
def test_the_command_checks_a_file_and_says_what_fails(acme: Firm, tmp_path: Path) -> None:
    target = asked(acme)[0]
    document = file_of(acme, certified(acme, [target]))
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(document))
    key = settings.GLASSBOX_LOG_VERIFY_KEYS[0].line()

    def run(*arguments: str) -> str:
        said = StringIO()
        call_command("erasure", "verify-certificate", *arguments, stdout=said)
        return said.getvalue()

    assert "The certificate holds." in run(str(path))
    assert "is among the targets" in run(str(path), "--log-key", key, "--target", f"event_group:{target.id}:question")
    with pytest.raises(CommandError, match="says nothing about what you asked"):
        run(str(path), "--target", f"document:{target.id}")
    other = SigningKey(name="other", seed=b"\2" * 32).verify_key.line()
    with pytest.raises(CommandError, match="does not hold"):
        run(str(path), "--log-key", other)
    for wrong in (("--log-key", "x"), ("--target", "x:y")):
        with pytest.raises(CommandError, match=wrong[0]):
            run(str(path), *wrong)
    document["certificate"]["scan"]["hits"] = 3
    path.write_text(json.dumps(document))
    with pytest.raises(CommandError, match="does not hold"):
        run(str(path))
    path.write_text("no JSON")
    with pytest.raises(CommandError, match="not JSON"):
        run(str(path))
    with pytest.raises(CommandError, match="can't be read"):
        run(str(tmp_path / "nowhere"))
    with pytest.raises(CommandError, match="Name the certificate file"):
        run()


@pytest.mark.slow
def test_one_is_issued_once_the_end_is_sealed_in_a_checkpoint_that_is_made_for_it_and_once_alone(acme: Firm) -> None:
    checkpointed(acme)
    run = ending(acme)
    assert looked_at(acme, run)
    with as_worker():
        assert issue_all() == 0, "not sealed yet"
    sealed(acme)
    with as_worker():
        assert issue_all() == 1
        assert issue_all() == 0
    with open_scope(tenant=acme.id, reason="a test"):
        newest = SignedCheckpoint.objects.order_by("-size").values_list("size", flat=True).first()
        assert Certificate.objects.get().size == newest
    exported = Path(settings.GLASSBOX_CHECKPOINT_URL) / origin_of(acme.id) / "latest"
    assert exported.read_text().splitlines()[1] == str(newest)
    assert certified(acme).number == 2
    assert [each.number for each in issued(acme)] == [1, 2]
    with raises_code("audit.signing_key_missing"):
        issue_tenant(acme.id)


def test_an_end_sends_for_its_certificate_and_nobody_waits_for_the_clock(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, list[str]]] = []
    run = ending(acme)
    monkeypatch.setattr(app, "send_task", lambda name, args, countdown: sent.append((name, args)))
    assert looked_at(acme, run)
    sealed(acme)
    [(name, arguments)] = sent
    with as_worker():
        assert name == issue_certificates.name
        issue_certificates(*arguments)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Certificate.objects.get().run_id == run.id


@pytest.mark.slow
def test_the_pages_the_files_and_the_link_from_the_run(acme: Firm) -> None:
    certificate = certified(acme)
    make_member(acme, "ada", Role.AUDITOR)
    make_member(acme, "ann", Role.ANALYST)
    visitor = Visitor("ada")
    listed = visitor.open("erasure_certificates")
    assert "No. 1" in listed.text
    page = visitor.open("erasure_certificate", certificate.id)
    assert "Certificate of erasure no. 1" in page.text
    assert "This certificate does not hold" not in page.text
    assert "Found: 0." in page.text
    run = visitor.open("removal_run", certificate.run_id)
    assert reverse("admin:erasure_certificate", args=[certificate.id]) in run.links
    for suffix, kind in (("json", "application/json"), ("html", "text/html; charset=utf-8")):
        answer = visitor.get(reverse(f"admin:erasure_certificate_{suffix}", args=[certificate.id]))
        assert answer.headers["Content-Type"] == kind
        assert f"erasure-certificate-1.{suffix}" in answer.headers["Content-Disposition"]
        if suffix == "json":
            assert refused(json.loads(answer.content)) == []
        else:
            assert "Certificate of erasure no. 1" in answer.content.decode()
            assert 'src="' not in answer.content.decode(), "it needs nothing else"
    analyst = Visitor("ann")
    for name in ("erasure_certificate", "erasure_certificate_json", "erasure_certificate_html"):
        assert analyst.open(name, certificate.id).status == 403
    assert analyst.open("erasure_certificates").status == 403
    bolt = make_firm("bolt")
    make_member(bolt, "ben", Role.AUDITOR)
    assert Visitor("ben").open("erasure_certificate", certificate.id).status == 404


@pytest.mark.slow
def test_the_api_lists_them_and_hands_out_the_file(acme: Firm) -> None:
    certificate = certified(acme)
    api = Api(make_key(acme, Role.AUDITOR)[1])
    [listed] = json.loads(api.get(LIST).content)["results"]
    assert (listed["id"], listed["number"], listed["outcome"]) == (str(certificate.id), 1, "completed")
    document = json.loads(api.get(f"{LIST}{certificate.id}/").content)
    assert refused(document) == []
    assert api.get(f"{LIST}{certificate.run_id}/").status_code == 404
    assert Api(make_key(acme, Role.ANALYST)[1]).get(LIST).status_code == 403
    bolt = make_firm("bolt")
    assert Api(make_key(bolt, Role.AUDITOR)[1]).get(f"{LIST}{certificate.id}/").status_code == 404


# --- Documents that stay in a redacted version ---


def redactions(*older: int) -> list[dict[str, str | int]]:
    """As a proposal freezes them, for documents that are nowhere: so many older versions of each were to go."""
    return [{"document": str(new_id()), "version": count + 1, "older": count} for count in older]


@pytest.mark.slow
def test_documents_that_stay_in_a_redacted_version_are_signed_shown_and_told_by_the_command(
    acme: Firm, tmp_path: Path
) -> None:
    one, other = told = redactions(1, 2)
    certificate = certified(acme, documents(acme, 3), redacted=told)
    document = file_of(acme, certificate)
    assert document["certificate"]["redacted"] == told
    assert refused(document) == []
    make_member(acme, "ada", Role.AUDITOR)
    visitor = Visitor("ada")
    file = visitor.get(reverse("admin:erasure_certificate_html", args=[certificate.id])).content.decode()
    for text in (visitor.open("erasure_certificate", certificate.id).text, " ".join(strip_tags(file).split())):
        assert "2 documents stay in a redacted version" in text
        assert f"version 2, {one['document']}, in place of 1 older version" in text
        assert f"version 3, {other['document']}, in place of 2 older versions" in text
    run = visitor.open("removal_run", certificate.run_id).text
    assert f"version 2 of a document, {one['document']}, in place of 1 older version" in run
    said = verified(document, tmp_path)
    assert "2 documents stay in a redacted version" in said
    assert f"document:{other['document']}, version 3" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    "alter",
    [
        set_to("certificate", "redacted", 0, "older", value=0),
        set_to("certificate", "redacted", 0, "version", value=1),
        set_to("certificate", "redacted", value=redactions(2, 2)),
        set_to("certificate", "redacted", value=redactions(1) * 2),
    ],
    ids=["none went for it", "the first version", "more than went", "twice"],
)
def test_what_is_said_of_redacted_versions_must_add_up(acme: Firm, alter: Callable[[Json], None]) -> None:
    document = file_of(acme, certified(acme, documents(acme, 3), redacted=redactions(1, 2)))
    alter(document)
    assert refused(document) == ["Signed", "Consistent", "The"]


@pytest.mark.slow
def test_that_a_redacted_version_stays_can_not_be_left_out(acme: Firm) -> None:
    document = file_of(acme, certified(acme, documents(acme, 1), redacted=redactions(1)))
    del document["certificate"]["redacted"]
    assert refused(document) == ["Signed", "The"]


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_eraser", "superuser"])
def test_which_ones_stay_is_frozen_with_the_proposal(acme: Firm, role: str) -> None:
    run = approved(acme, documents(acme, 1), redacted=redactions(1))
    with (
        acting_as(role),
        pytest.raises(DatabaseError, match=r"permission denied|keeps what it is"),
        open_scope(tenant=acme.id, reason="a test"),
    ):
        RemovalRun.objects.filter(id=run.id).update(redacted=[])
    assert len(again(acme, run).redacted) == 1


@pytest.mark.slow
def test_where_none_stays_the_page_says_so_and_the_command_nothing(acme: Firm, tmp_path: Path) -> None:
    certificate = certified(acme, documents(acme, 1))
    make_member(acme, "ada", Role.AUDITOR)
    assert "No document stays in a redacted version." in Visitor("ada").open("erasure_certificate", certificate.id).text
    assert "redacted" not in verified(file_of(acme, certificate), tmp_path)


@pytest.mark.slow
def test_an_older_certificate_that_does_not_say_holds_and_nothing_is_said_of_it(acme: Firm, tmp_path: Path) -> None:
    run = ending(acme, documents(acme, 1))
    as_administrator(
        "WITH past AS (SELECT set_config('session_replication_role', 'replica', true)) "
        "UPDATE audit_removalrun SET redacted = NULL FROM past WHERE id = %s",
        run.id,
    )
    assert looked_at(acme, run)
    [certificate] = issued(acme)
    document = file_of(acme, certificate)
    assert "redacted" not in document["certificate"]
    assert refused(document) == []
    make_member(acme, "ada", Role.AUDITOR)
    assert "redacted" not in Visitor("ada").open("erasure_certificate", certificate.id).text
    said = verified(document, tmp_path)
    assert "The certificate holds." in said
    assert "redacted" not in said


def verified(document: Json, folder: Path) -> str:
    """What the command says of the file."""
    path, said = folder / "certificate.json", StringIO()
    path.write_text(json.dumps(document))
    call_command("erasure", "verify-certificate", str(path), stdout=said)
    return said.getvalue()
