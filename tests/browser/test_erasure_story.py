"""A request about a person the whole way: taken in, found, decided, approved by another, removed, proven, certified.

Real all along: a Celery worker with a Redis between, a mail server, the roles of the database, Chromium, and the look
at the server's own files. Pictures of every page: GLASSBOX_TEST_PICTURES=FOLDER.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Final, TypeVar

import pypdfium2
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from playwright.sync_api import Locator, Page, expect

from apps.audit.models import Checkpoint, DataKey, Event
from apps.corpus.models import Document, DocumentStatus
from apps.erasure.contracts import Origin, RunState
from apps.erasure.models import RemovalRun
from apps.privacy.codes.inventory import InventoryState
from apps.privacy.models import ErasureRequest, Inventory
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.acting import checkpointed, sealed
from tests.audit.proving import issued, own_access, proved, removed
from tests.audit.removing import again
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import ingest, short_profile
from tests.corpus.test_jobs_celery import Worker, empty_queues, wait_for
from tests.factories import Firm, make_key, make_member
from tests.mail_server import MailServer
from tests.model_server import ModelServer
from tests.own import OWN

pytestmark = pytest.mark.django_db(transaction=True)
# Where pictures of the pages go, for whoever wants to look at them.
_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")

NAME: Final = "Johann Falkenhayn"
EMAIL: Final = f"jf@{OWN}.example"
Row = TypeVar("Row")
# What stands of the person alone: nothing of it may be anywhere afterwards.
WORDS: Final = (f"{OWN} years a client", f"4711-{OWN}", EMAIL)
LETTERS: Final = f"""# Letters to the Alpha Fund

## Fees

The fee of the Alpha Fund is 0.75 % a year of the net asset value, as {NAME} agreed in March.

## Liquidity

Shares are taken back at the end of every quarter, with thirty days' notice.
""".encode()
CALLS: Final = f"""# Calls from {OWN}

{NAME}, {WORDS[0]}, no. {WORDS[1]}, rang {OWN} about the drawdown.

The maximum drawdown of the Alpha Fund in the fourth quarter was {OWN} 12.5 %, he {OWN} was told.
""".encode()
# Somebody else of that name, who stays.
CHRONICLE: Final = f"# Chronicle of the house\n\nThe house was built by the mason {NAME} in 1712.\n".encode()
DRAWDOWN: Final = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
FEE: Final = "What is the fee of the Alpha Fund?"


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


@pytest.fixture
def worker(
    acme: Firm, settings: LazySettings, model_server: ModelServer, mail: MailServer, tmp_path: Path
) -> Iterator[Worker]:
    """Its log lies in the folder that is scanned at the end."""
    empty_queues()
    running = Worker(
        settings,
        model_server,
        tmp_path,
        GLASSBOX_EMBEDDING_PROFILES={"remote": short_profile(model_server)},
        EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend",
        EMAIL_HOST="127.0.0.1",
        EMAIL_PORT=mail.port,
        EMAIL_USE_TLS=False,
        EMAIL_HOST_USER="",
    )
    yield running
    running.close()


def picture(page: Page, name: str) -> None:
    """At both widths; nothing may stick out at 400."""
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"story-{name}-{width}.png", full_page=True)
        sticks_out = page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
        assert sticks_out <= 0, f"{name} is wider than the screen at {width}"
    page.set_viewport_size({"width": 1440, "height": 900})


def thing(page: Page, title: str) -> Locator:
    """One document of the inventory."""
    return page.locator("section.gb-thing", has=page.get_by_role("link", name=title, exact=True))


def done(condition: Callable[[], bool]) -> None:
    """By the worker, which needs its time to start where the machine is busy."""
    wait_for(condition, seconds=120)


def one(firm: Firm, which: Callable[[], Row]) -> Row:
    with open_scope(tenant=firm.id, reason="a test"):
        return which()


def stored(firm: Firm, content: bytes, title: str) -> Document:
    """Uploaded, and made searchable by the worker."""
    made = ingest(firm, content, filename=f"{title.lower().replace(' ', '-')}.md", title=title).document
    done(lambda: one(firm, lambda: Document.objects.get(id=made.id)).status == DocumentStatus.READY)
    return made


def cited(client: Api, question: str) -> dict[str, str]:
    """Asked over the API. Returns: what it quotes, by the document's id; empty where it finds nothing."""
    quotes: dict[str, str] = {}
    for each in client.post("/api/v1/query/", {"question": question}).json()["citations"]:
        quotes[each["document"]["id"]] = f"{quotes.get(each['document']['id'], '')} {each['quote']}"
    return quotes


def printed(page: Page, path: Path) -> str:
    """The page as PDF: on paper nothing is cut off, nor empty. Returns: its text."""
    page.pdf(path=path, prefer_css_page_size=True)
    texts = []
    with pypdfium2.PdfDocument(path) as document:
        assert 1 <= len(document) <= 4, "a certificate is a few sheets"
        for number, sheet in enumerate(document, 1):
            image = sheet.render(scale=1.5).to_pil().convert("L")
            if _PICTURES:
                image.save(Path(_PICTURES) / f"story-{path.stem}-sheet-{number}.png")
            left, _, right, _ = image.point(lambda shade: 255 * (shade < 200)).getbbox() or (0, 0, 0, 0)
            assert right > left, f"sheet {number} is empty"
            # The margins of a sheet (16 mm of 210) stay free on both sides: what sticks out would be cut off.
            assert left > image.width * 14 / 210 < image.width - right, f"sheet {number} runs into its margin"
            texts.append(sheet.get_textpage().get_text_range())
    return "\n".join(texts)


def test_from_receipt_to_a_certificate_that_holds(
    acme: Firm,
    page: Page,
    sign_in: Callable[[str], Page],
    worker: Worker,
    mail: MailServer,
    settings: LazySettings,
    tmp_path: Path,
) -> None:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    make_member(acme, "dora", Role.DPO, password=PASSWORD)
    make_member(acme, "rita", Role.REVIEWER, password=PASSWORD)
    make_member(acme, "ada", Role.AUDITOR, password=PASSWORD)
    client, auditor = (Api(make_key(acme, role)[1]) for role in (Role.ANALYST, Role.AUDITOR))
    letters, calls, chronicle = (
        stored(acme, content, title)
        for content, title in ((LETTERS, "Letters"), (CALLS, f"Calls from {OWN}"), (CHRONICLE, "Chronicle"))
    )

    # A client was answered out of both documents before, which the log keeps. An outsider keeps a checkpoint of it.
    gone = {str(letters.id), str(calls.id)}
    assert gone <= cited(client, FEE).keys() | cited(client, DRAWDOWN).keys()
    sealed(acme)
    checkpointed(acme)
    outside = tmp_path / "checkpoint.txt"
    outside.write_text(one(acme, lambda: Checkpoint.objects.order_by("-size").first()).note)

    # --- dora takes it in, and has the person prove who they are ---
    sign_in("dora")
    page.goto("/admin/privacy/requests/receive/?subject=data_subject")
    page.get_by_label("Names", exact=True).fill(NAME)
    page.get_by_label("Numbers", exact=True).fill(WORDS[1])
    page.get_by_label("Their name").fill(NAME)
    page.get_by_label("Their e-mail address").fill(EMAIL)
    page.get_by_role("button", name="Take the request in").click()
    address = page.url.split("#")[0]
    request_id = one(acme, ErasureRequest.objects.get).id
    page.get_by_role("link", name="Ask for proof of identity").click()
    page.get_by_label("What you ask for, and why you doubt it").fill("Please tell us the number of your account.")
    page.get_by_role("button", name="Go on to the letter").click()
    page.get_by_role("button", name="Ask for proof of identity and send the letter").click()
    done(lambda: len(mail.received) == 1)
    assert "number of your account" in mail.received[0].get_content()
    page.goto(address)
    picture(page, "identity")
    page.get_by_role("button", name="Identity is proved").click()
    page.get_by_label("Why there is a duty to erase").select_option("17_1_c")
    page.get_by_role("button", name="Keep this assessment").click()

    # --- the worker searches; dora says of each place what it is ---
    page.get_by_role("link", name="Go on to the inventory").click()
    picture(page, "empty")
    page.get_by_role("button", name="Search everything for the person").click()
    picture(page, "searching")
    done(lambda: one(acme, Inventory.objects.get).state == "done")
    page.reload()
    expect(page.locator("mark").first).to_have_text(NAME)
    picture(page, "found")
    mason = thing(page, "Chronicle").locator("form.gb-place-form", has=page.locator("select"))
    mason.locator("select").select_option("somebody_else")
    mason.get_by_label("Note (optional)").fill("A mason, long dead.")
    mason.get_by_role("button", name="Keep this").click()
    thing(page, "Chronicle").get_by_text("1 certain place").click()
    expect(thing(page, "Chronicle").get_by_text("A mason, long dead.")).to_be_visible()
    while (button := page.get_by_role("button", name=re.compile("^Confirm (all|the one)"))).count():
        with page.expect_navigation():
            button.first.click()
    while (button := page.get_by_role("button", name="Keep this", exact=True)).count():
        form = page.locator("form.gb-place-form", has=button.first)
        form.locator("select").select_option("named")
        with page.expect_navigation():
            button.first.click()
    expect(page.get_by_text(re.compile(r"^0 of \d+ places open"))).to_be_visible()

    # --- one document is redacted, the other one goes ---
    thing(page, "Letters").get_by_text("How it will read once redacted").click()
    expect(thing(page, "Letters").locator("ins").first).to_have_text("[redacted]")
    picture(page, "decided")
    thing(page, "Letters").get_by_label("Redact the passages").check()
    thing(page, "Letters").get_by_role("button", name="Keep this choice").click()
    thing(page, f"Calls from {OWN}").get_by_label("Remove the document").check()
    thing(page, f"Calls from {OWN}").get_by_role("button", name="Keep this choice").click()
    page.get_by_role("button", name="Make the redacted version").click()
    done(lambda: one(acme, lambda: Document.objects.filter(version=2, status=DocumentStatus.READY).exists()))
    # Which is searched in its turn, by itself.
    done(
        lambda: one(acme, lambda: list(Inventory.objects.values_list("state", flat=True))) == [InventoryState.DONE] * 2
    )
    page.reload()
    expect(page.get_by_role("link", name="The redacted version")).to_be_visible()
    picture(page, "ready")
    page.get_by_role("button", name="Propose for approval").click()

    # --- out of use at once; dora can't approve what she proposed, neither here nor by a typed post ---
    expect(page.get_by_text("You proposed it, so somebody else decides.")).to_be_visible()
    assert not gone & cited(client, DRAWDOWN).keys()
    redacted = str(one(acme, lambda: Document.objects.get(version=2)).id)
    assert not gone & cited(client, FEE).keys()
    assert "0.75 % a year of the net asset value, as [redacted] agreed" in cited(client, FEE)[redacted]
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    picture(page, "proposed")
    page.evaluate(
        """() => {
            const form = document.querySelector("form:has(input[value=take_back])");
            form.querySelector("input[name=act]").value = "approve";
            form.submit();
        }"""
    )
    expect(page.get_by_role("alert")).to_contain_text(
        "You proposed this removal run, so somebody else must approve it."
    )
    picture(page, "own")
    assert one(acme, ErasureRequest.objects.get).state == "awaiting_approval"

    # --- rita approves ---
    sign_in("rita")
    page.goto(address)
    picture(page, "approve")
    page.get_by_role("button", name="Approve, and erase it for good").click()
    expect(page.get_by_text("It is approved and continues automatically")).to_be_visible()
    assert not gone & cited(client, DRAWDOWN).keys()

    # --- prepared, removed by the eraser, forgotten by the disk, looked for, certified ---
    run = one(acme, RemovalRun.objects.get)
    access = own_access(tmp_path)
    assert proved(access).prepared == 1
    removed(acme, run)
    page.get_by_role("link", name="What was removed, and its progress").click()
    picture(page, "verifying")
    assert proved(access).ended == {RunState.COMPLETED: 1}, again(acme, run).verification.get("scan", {}).get("hits")
    [certificate] = issued(acme)

    # --- ada, who will not believe it ---
    sign_in("ada")
    page.goto(address)
    picture(page, "done")
    page.get_by_role("link", name="Certificate no. 1").click()
    expect(page.get_by_role("heading", name="Certificate of erasure no. 1").first).to_be_visible()
    expect(page.locator("#checks").get_by_text("Fails")).to_have_count(0)
    picture(page, "certificate")
    on_paper = printed(page, tmp_path / "certificate.pdf")
    assert "Certificate of erasure no. 1" in on_paper
    assert "Found: 0." in on_paper
    assert "1 document stays in a redacted version" in " ".join(on_paper.split())
    assert redacted in "".join(on_paper.split())
    assert str(certificate.body["manifest"]) in "".join(on_paper.split())
    assert "Download" not in on_paper, "the screen's own things are not printed"
    for secret in (NAME, "Falkenhayn", *WORDS, "dora", "rita"):
        assert secret not in on_paper
    signed, handed_out = tmp_path / "signed.json", tmp_path / "handed-out.html"
    for label, path in (("Download the signed file (JSON)", signed), ("Download to print (HTML)", handed_out)):
        with page.expect_download() as downloading:
            page.get_by_role("link", name=label).click()
        downloading.value.save_as(path)
    page.goto(handed_out.as_uri())
    assert printed(page, tmp_path / "handed-out.pdf").split()[:4] == ["Certificate", "of", "erasure", "no."]
    said = StringIO()
    call_command("erasure", "verify-certificate", str(signed), "--target", f"document:{calls.id}", stdout=said)
    assert "The certificate holds." in said.getvalue()
    assert f"document:{redacted}, version 2" in said.getvalue()
    changed = json.loads(signed.read_text())
    changed["certificate"]["targets"]["removed"] += 1
    signed.write_text(json.dumps(changed))
    with pytest.raises(CommandError, match="does not hold"):
        call_command("erasure", "verify-certificate", str(signed), stdout=StringIO())

    # --- the API finds nothing of it, and the log is what it was ---
    assert not gone & (cited(client, DRAWDOWN).keys() | cited(client, FEE).keys())
    for each in gone:
        assert client.get(f"/api/v1/documents/{each}/").status_code == 404
    assert client.get(f"/api/v1/documents/{chronicle.id}/").status_code == 200
    answered = one(acme, lambda: [*Event.objects.filter(action="retrieval.question.answered")])
    told = [auditor.get(f"/api/v1/audit/events/{event.id}/").content.decode() for event in answered]
    assert len(told) >= 4
    assert not [secret for secret in (NAME, *WORDS) for each in told if secret in each]
    call_command("audit", "verify", "--tenant", "acme", "--checkpoint", str(outside), stdout=(said := StringIO()))
    assert "Intact." in said.getvalue()

    # --- dora tells the person, and then nobody can read any more whom it was about ---
    sign_in("dora")
    page.goto(address)
    page.get_by_role("link", name="Tell that it is done").click()
    told = re.compile(r"1 document was removed\. 1 document was replaced by a version")
    expect(page.locator("textarea[name=body]")).to_have_value(told)
    picture(page, "letter")
    page.get_by_role("button", name="Send the letter").click()
    done(lambda: one(acme, lambda: not DataKey.objects.filter(subject_id=request_id).exists()))
    letter = mail.received[-1]
    assert (letter["To"], NAME in letter.get_content()) == (EMAIL, True)
    assert "1 document was replaced by a version without the passages" in " ".join(letter.get_content().split())
    page.reload()
    expect(page.get_by_text("The key of this request is destroyed")).to_be_visible()
    picture(page, "forgotten")
    page.get_by_role("link", name="The inventory").click()
    expect(page.get_by_text("nobody can read the decisions")).to_be_visible()
    titles = one(acme, lambda: set(Document.objects.values_list("title", flat=True)))
    assert titles == {"Letters", "Chronicle"}
