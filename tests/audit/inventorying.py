"""A person in documents and in the log, and a request that is assessed: what tests of the inventory share."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from apps.audit.log.sequencer import seal_all_waiting
from apps.audit.services import record
from apps.corpus.models import Document, IngestJob, JobState
from apps.erasure.models import RemovalRun
from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, InventoryState
from apps.privacy.codes.requests import Ground
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import Said, hits_decide, hits_decide_at_once
from apps.privacy.inventory.redacting import redactions_make
from apps.privacy.inventory.runner import inventory_run
from apps.privacy.inventory.selectors import Grouped, grouped
from apps.privacy.models import ErasureRequest, Inventory, InventoryHit
from apps.privacy.requests.details import Details
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from tests.audit.mutations import acting_as
from tests.audit.removing import carried_out
from tests.audit.requesting import Office
from tests.corpus.ingesting import ingest, run
from tests.deciding import assess, identity_confirm
from tests.factories import as_
from tests.own import OWN

# Words that stand nowhere else.
NAME = "Johann Falkenhayn"
WORDS = ("falkenhayn", "johann")
PERSON = Details(names=(NAME,), requester_name=NAME, requester_email="jf@falken.example", notes="He called Falkenhayn")

LETTER = f"""# Letters to the fund {OWN}

## What {OWN} was asked

On Monday {NAME} wrote ({OWN}) to us about the fees of {OWN} the Alpha Fund, which he finds {OWN} too high.

## What {OWN} we answered

The fees {OWN} are 0.75 % a year of {OWN} the net asset value, as {NAME} agreed {OWN} in March.
""".encode()
NOTE = (
    f"# Notes {OWN}\n\nCalled {NAME} about his account ({OWN}).\n\nHe does not want {OWN} to be called again {OWN}.\n"
).encode()
OTHER = b"# Notes\n\nJane Roe asked about the fees of the fund, and was told that they are 0.75 % a year.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """letter names the person in its middle; notes are about nobody else; other does not name them."""

    letter: Document
    note: Document
    other: Document


def stored(office: Office, content: bytes, *, title: str, scope: str = "fund:alpha") -> Document:
    made = ingest(
        office.firm, content, filename=f"{title.lower().replace(' ', '-')}-{OWN}.md", title=title, scope=scope
    )
    run(office.firm, made.job)
    return made.document


def found_in(office: Office) -> Found:
    return Found(
        letter=stored(office, LETTER, title="Letters"),
        note=stored(office, NOTE, title=f"Notes on calls {OWN}"),
        other=stored(office, OTHER, title="Other notes"),
    )


def asked_about(office: Office, document: Document) -> UUID:
    """A question was answered out of a document: the event's id."""
    with open_scope(tenant=office.firm.id, reason="a test"):
        event = record(
            action="retrieval.question.answered",
            core={"intent": "facts"},
            question={"text": "What are the fees?"},
            passages={"hits": [{"document_id": str(document.id), "text": f"as {NAME} agreed"}]},
            scopes=[ScopeId(document.scope_id)],
        )
        return UUID(str(event.id))


def assessed(office: Office, details: Details = PERSON) -> ErasureRequest:
    request = office.received(details=details)
    with as_(office.dora):
        identity_confirm(request.id)
        return assess(request.id, ground=Ground.OBJECTION)


def inventoried(office: Office, request: ErasureRequest) -> Inventory:
    """Searched, by this process in the worker's place."""
    with as_(office.dora):
        made = inventory_request(request.id)
    assert inventory_run(tenant_id=office.firm.id, inventory_id=made.id) is InventoryState.DONE
    with open_scope(tenant=office.firm.id, reason="a test"):
        done: Inventory = Inventory.objects.get(id=made.id)
        return done


def searched_for(office: Office) -> ErasureRequest:
    """A request that is assessed, and whose places were searched for."""
    request = assessed(office)
    inventoried(office, request)
    return request


def groups(office: Office, request: ErasureRequest, who: Principal | None = None) -> list[Grouped]:
    with as_(who or office.dora):
        return list(grouped(request))


def group_of(office: Office, request: ErasureRequest, document: Document) -> Grouped:
    (found,) = [each for each in groups(office, request) if each.target and each.target.id == document.id]
    return found


def on_pages(office: Office, request: ErasureRequest, document: Document) -> list[InventoryHit]:
    """The places on a document's pages, in their order."""
    return sorted(
        (hit for hit in group_of(office, request, document).hits if hit.page),
        key=lambda hit: (hit.page, hit.char_start),
    )


def confirm_all(office: Office, request: ErasureRequest, *, reason: Reason = Reason.NAMED) -> None:
    """Every open place that dora sees: the certain ones of each thing at once, and the others one by one."""
    for group in groups(office, request):
        with as_(office.dora):
            hits_decide_at_once(
                request.id, like=group.hits[0].id, certain=True, reason=reason, seen=[hit.id for hit in group.hits]
            )
    for group in groups(office, request):
        rest = [Said(hit_id=hit.id, seen=Decision.OPEN, reason=reason) for hit in group.open]
        if rest:
            with as_(office.dora):
                hits_decide(request.id, rest)


def redacted_by_worker(office: Office, request: ErasureRequest) -> None:
    """What the worker does after redactions_prepare: makes the versions, makes them searchable, and searches again."""
    assert searched_after_redaction(office, request) in ([], [InventoryState.DONE])


def searched_after_redaction(office: Office, request: ErasureRequest) -> list[InventoryState | None]:
    """The same. Returns: how the search ended, if one was waiting."""
    redactions_make(tenant_id=office.firm.id, request_id=request.id)
    with open_scope(tenant=office.firm.id, reason="a test"):
        waiting = list(IngestJob.objects.filter(state=JobState.PENDING))
    for job in waiting:
        run(office.firm, job)
    with open_scope(tenant=office.firm.id, reason="a test"):
        again = list(Inventory.objects.filter(request=request, state=InventoryState.WAITING))
    return [inventory_run(tenant_id=office.firm.id, inventory_id=inventory.id) for inventory in again]


def erased(office: Office, request: ErasureRequest) -> str:
    """By the eraser, with the sealer's help. Returns: the request's state then."""
    with open_scope(tenant=office.firm.id, reason="a test"):
        removal = RemovalRun.objects.get(id=office.again(request).run_id)
    for _ in range(20):
        carried_out(office.firm, removal)
        with acting_as("glassbox_worker"):
            seal_all_waiting()
        state = office.again(request).state
        if state in ("completed", "partially_completed", "failed"):
            break
    return str(state)
