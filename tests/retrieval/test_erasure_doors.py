"""After an erasure no page, answer, export, stream or replay says a word of the subject, whoever walks through them.

What the log keeps are ids of documents, codes and counts: a document's own id stands where the log is read, and nowhere
else; those of its passages nowhere at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.urls import reverse
from lxml import html

from apps.audit.models import Event
from apps.audit.verify.export import export_log
from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.models import Chunk, Document, IngestJob
from apps.erasure.contracts import Target, TargetType
from apps.intents.contracts import RecordingMode
from apps.intents.fund_house import FundHouse
from apps.quality.impact.runner import ImpactOutcome, impact_run
from apps.retrieval.replay.run import question_replay
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.acting import sealed
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.factories import Firm, as_, make_firm, make_key, make_member
from tests.model_server import ModelServer
from tests.quality.impacting import asked, draft_of, expects, requested, with_kinds
from tests.retrieval.test_recording import keep, places
from tests.retrieval.twins import CANARIES, erased
from tests.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
LETTER = (
    b"# Alpha Fund, fourth quarter\n\n"
    b"The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %, as Zaunkoenig of Kestrelgasse says.\n"
)
OTHER = b"# Alpha Fund, third quarter\n\nThe maximum drawdown of the Alpha Fund in the third quarter was 3.3 %.\n"
KEY = {"idempotency_key": "the-upload-of-the-letter"}
# Where ids that the log keeps may stand, and the page of the run that says what it removed.
_OF_THE_LOG = ("/admin/audit/", "/api/v1/audit/", "/admin/removals/")
_MOST_PAGES = 400
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Walk:
    """Everything that somebody gets by following every link, each page once whatever values its parameters have.

    Args: about: ids whose pages are opened all; of pages of other things of one sort, the first two.
    """

    def __init__(self, visitor: Visitor, about: Collection[str]) -> None:
        self.visitor = visitor
        self.bodies: dict[str, str] = {}
        of_a_sort: Counter[str] = Counter()
        waiting = ["/admin/"]
        seen = {self._shape("/admin/")}
        while waiting and len(self.bodies) < _MOST_PAGES:
            address = waiting.pop()
            response: Any = visitor.get(address, follow=True)
            assert response.status_code < 500, address
            content = b"".join(response.streaming_content) if response.streaming else response.content
            body = self.bodies[address] = content.decode("utf-8", "replace")
            if response.headers.get("Content-Type", "").startswith("text/html") and body.strip():
                for link in self._links(body, address):
                    if self._shape(link) in seen:
                        continue
                    seen.add(self._shape(link))
                    ids, sort = set(_ID.findall(link)), _ID.sub("*", urlsplit(link).path)
                    of_a_sort[sort] += 1
                    if not ids or ids & set(about) or of_a_sort[sort] <= 2:
                        waiting.append(link)
        assert not waiting, "there are more pages than this test walks"

    def saying(self, *words: str) -> dict[str, list[str]]:
        return {
            word: [address for address, body in self.bodies.items() if word.lower() in body.lower()] for word in words
        }

    @staticmethod
    def _links(body: str, address: str) -> Iterator[str]:
        for element in html.document_fromstring(body).iter():
            for name, value in element.attrib.items():
                path = value.partition("#")[0]
                if path.startswith("?"):
                    path = urlsplit(address).path + path
                is_link = (name == "href" or name.startswith("data-")) and path.startswith("/admin/")
                if is_link and "logout" not in path and "/jsi18n/" not in path:
                    yield path

    @staticmethod
    def _shape(address: str) -> tuple[str, tuple[str, ...]]:
        parts = urlsplit(address)
        return parts.path, tuple(sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}))


@pytest.fixture
def firm(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield make_firm()


def api_says(api: Api, document: UUID) -> dict[str, str]:
    """What the API answers at every address that may know of a document."""
    addresses = [
        "documents/", "jobs/", "policy/", "policy/versions/", "audit/events/", "audit/verifications/", "scopes/",
        "privacy/requests/", "health/", "me/",
        *(f"documents/{document}/{part}" for part in ("", "chunks/", "pages/1/", "versions/", "content/")),
    ]  # fmt: skip
    found = {}
    for address in addresses:
        response: Any = api.client.get(f"/api/v1/{address}", headers={"authorization": f"Bearer {api.key}"})
        content = b"".join(response.streaming_content) if response.streaming else response.content
        found[f"/api/v1/{address}"] = f"{response.status_code} {content.decode('utf-8', 'replace')}"
    return found


def downloaded(format: str) -> Iterator[bytes]:
    """The list of events as a file, in the parts that it is sent in."""
    response: Any = Visitor("dora").post(reverse("admin:audit_event_export"), {"format": format})
    assert response.status_code == 200
    yield from response.streaming_content


def test_no_door_says_a_word_of_it(firm: Firm, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    keep(firm, RecordingMode.ENCRYPTED_TEXT)
    for name, roles in {
        "dora": (Role.DPO, Role.COMPLIANCE_OFFICER, Role.TENANT_ADMIN),
        "rolf": (Role.REVIEWER, Role.AUDITOR),
    }.items():
        for role in roles:
            make_member(firm, name, role)
    ada = make_member(firm, "ada", Role.AUDITOR)
    olivia = make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)
    api = Api(make_key(firm, Role.TENANT_ADMIN)[1])
    log_reader = Api(make_key(firm, Role.AUDITOR)[1])
    run(firm, ingest(firm, OTHER, filename="other.md").job)

    # The subject's: a letter that came by the API and is searched, and a file that could not be read.
    sent: Any = api.upload(
        LETTER, "wiedehopf.md", title="Dossier Wiedehopf", company="Quokka Holding", external_id="kstr0042", headers=KEY
    )
    letter = UUID(sent.json()["id"])
    with open_scope(tenant=firm.id, reason="a test"):
        run(firm, IngestJob.objects.get(document_id=letter))
        passages = [str(id) for id in Chunk.objects.filter(document_id=letter).values_list("id", flat=True)]
    broken = ingest(firm, b'{"kestrelgasse', filename="kestrelgasse.json", title="Zaunkoenig, scanned")
    run(firm, broken.job)
    subject = [letter, UUID(str(broken.document.id))]

    # What is made of it: answers, their replays, an evaluation question, a preview of a policy.
    event = asked(olivia, QUESTION)
    asking = {"question": QUESTION, "trace": True}
    first = api.post("/api/v1/query/", asking, idempotency_key="the-question")
    assert "Dossier Wiedehopf" in first.content.decode()
    with as_(ada):
        question_replay(Event.objects.get(id=event.id))
    expects(olivia, QUESTION, document="wiedehopf.md", scope="fund:alpha")
    preview = requested(olivia, draft_of(olivia, with_kinds("performance", FundHouse.FUND_PROFILE, FundHouse.SCHEDULE)))
    assert impact_run(impact_id=preview.id, tenant_id=firm.id) is ImpactOutcome.DONE

    # It is there, or nothing would be shown: the same walk finds it.
    about = {str(event.id), *map(str, subject), str(broken.job.id)}
    before = Walk(Visitor("dora"), about)
    shown = before.saying("wiedehopf", "quokka", "kstr0042", "kestrelgasse", "zaunkoenig", str(letter))
    assert all(shown.values()), shown
    assert any(passage in body for passage in passages for body in before.bodies.values())
    streamed: Any = api.client.get(
        f"/api/v1/documents/{letter}/content/", headers={"authorization": f"Bearer {api.key}"}
    )
    parts = iter(downloaded("jsonl"))
    begun = next(parts)

    erased(firm, [Target(type=TargetType.DOCUMENT, id=id) for id in subject])

    # What was begun before.
    with pytest.raises(DocumentNotFoundError) as cut_short:
        next(iter(streamed.streaming_content))
    said = [repr(cut_short.value), (begun + b"".join(parts)).decode("utf-8", "replace")]
    # The application, as everybody; the API, with the keys of before; the export for an auditor.
    for name in ("dora", "rolf"):
        after = Walk(Visitor(name), about)
        assert len(after.bodies) > 20
        assert after.saying(*CANARIES) == {word: [] for word in CANARIES}, name
        of_ids = after.saying(*map(str, subject), *passages)
        elsewhere = {address for found in of_ids.values() for address in found if not address.startswith(_OF_THE_LOG)}
        assert elsewhere == set()
        assert not any(of_ids[passage] for passage in passages)
    for client in (api, log_reader):
        answers = api_says(client, letter)
        assert {answers[f"/api/v1/documents/{letter}/{part}"][:3] for part in ("", "chunks/", "content/")} == {"404"}
        said += [body for address, body in answers.items()]
        said_elsewhere = {
            address
            for address, body in answers.items()
            if str(letter) in body and str(letter) not in address and not address.startswith(_OF_THE_LOG)
        }
        assert said_elsewhere == set()
    said.append(api.post("/api/v1/query/", asking, idempotency_key="the-question").content.decode())
    said.append(api.post("/api/v1/query/", asking).content.decode())
    assert "3.3" in said[-1]
    sealed(firm)
    export_log(tenant=firm.id, output=tmp_path / "export")
    said += [path.read_text(errors="replace") for path in (tmp_path / "export").rglob("*") if path.is_file()]
    with as_(ada):
        replay = question_replay(Event.objects.get(id=event.id))
    said += [repr(replay), *(b"".join(downloaded(format)).decode() for format in ("csv", "jsonl"))]
    said.append(caplog.text)
    for word in CANARIES:
        assert [text for text in said if word in text.lower()] == [], word
    assert [text for text in said if any(passage in text for passage in passages)] == []
    assert {word: places(word) for word in CANARIES} == {word: [] for word in CANARIES}
    with open_scope(tenant=firm.id, reason="a test"):
        assert Document.objects.count() == 1
