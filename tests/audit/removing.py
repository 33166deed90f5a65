"""Runs of removals in tests: documents made by hand, stores over the corpus' tables, and the eraser in this process.

with stores_of_documents():
    run = approved(acme, [*documents(acme, 2)])
    carried_out(acme, run)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.models import Event, Payload
from apps.audit.services import record
from apps.corpus.models import Chunk, Document, Page
from apps.erasure import registry
from apps.erasure.contracts import (
    Obstacle,
    Origin,
    Phase,
    RunState,
    Store,
    Target,
    TargetType,
)
from apps.erasure.engine import run_carry_out
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import RemovalRun, RemovalStep, RemovalTarget
from apps.erasure.runs.lease import EnginePolicy
from apps.erasure.runs.runs import run_propose
from apps.erasure.stores.log_store import EventPartStore
from apps.tenants.context import current_scope, open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.people import user_by_name
from tests.audit.forging import ANSWERED
from tests.audit.mutations import acting_as
from tests.deciding import run_approve
from tests.factories import Firm, as_, make_member

REASON: Final = RemovalReason.ERASURE_REQUEST
Redacted = Mapping[str, str | int]  # see RemovalRun.redacted
# Small, so that a few rows are several transactions.
POLICY: Final = EnginePolicy(batch=2, wait_seconds=0.0, retry_seconds=0.0)


@dataclass(kw_only=True)
class Table:
    """A store over one table of the corpus, for what these tests remove of it."""

    key: str
    label: str
    phase: Phase
    table: str
    column: str = "document_id"
    types: frozenset[TargetType] = frozenset({TargetType.DOCUMENT})

    def count(self, targets: Sequence[Target]) -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM {self.table} WHERE tenant_id = %s AND {self.column} = ANY (%s::uuid[])",
                [current_scope().tenant_id, _documents(targets)],
            )
            return int(cursor.fetchone()[0])

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {self.table} WHERE tenant_id = %s AND id = ANY (ARRAY(SELECT id FROM {self.table} "
                f"WHERE tenant_id = %s AND {self.column} = ANY (%s::uuid[]) LIMIT %s))",
                [current_scope().tenant_id, current_scope().tenant_id, _documents(targets), limit],
            )
            return int(cursor.rowcount)


def _documents(targets: Sequence[Target]) -> list[UUID]:
    return [target.id for target in targets if target.type is TargetType.DOCUMENT]


STORES: Final = (
    Table(key="test.chunks", label="Passages", phase=Phase.PASSAGES, table="corpus_chunk"),
    Table(key="test.pages", label="Pages", phase=Phase.PASSAGES, table="corpus_page"),
    Table(key="test.documents", label="Documents", phase=Phase.DOCUMENTS, table="corpus_document", column="id"),
)


@contextmanager
def stores_of_documents(*more: Store, obstacles: Sequence[Obstacle] = ()) -> Iterator[None]:
    """These stores, and the log's, and no others; and no obstacle but those that are named."""
    before, kept_by = dict(registry._stores), list(registry._obstacles)
    registry._stores.clear()
    registry.register_store(*STORES, EventPartStore(), *more)
    registry._obstacles[:] = list(obstacles)
    try:
        yield
    finally:
        registry._stores.clear()
        registry._stores.update(before)
        registry._obstacles[:] = kept_by


def documents(firm: Firm, count: int, *, pages: int = 3) -> list[Target]:
    """So many documents, each with pages and a passage a page."""
    made = []
    with open_scope(tenant=firm.id, reason="a test"):
        for _ in range(count):
            number = new_id()
            document = Document.objects.create(
                tenant_id=firm.id,
                scope=firm.scopes["fund:alpha"],
                kind="run",
                title="A report",
                slug=f"report-{number}",
                series_id=number,
                filename="report.md",
                byte_size=1,
                content_sha256="0" * 64,
            )
            for page in range(1, pages + 1):
                owner = {"tenant_id": firm.id, "scope_id": document.scope_id, "document": document}
                Page.objects.create(**owner, number=page, text="Somebody is ill.")
                Chunk.objects.create(
                    **owner,
                    kind="run",
                    number=page,
                    text="Somebody is ill.",
                    page_start=page,
                    page_end=page,
                    char_start=0,
                    char_end=16,
                    token_count=4,
                    content_sha256="0" * 64,
                )
            made.append(Target(type=TargetType.DOCUMENT, id=document.id))
    return made


def asked(firm: Firm, count: int = 1) -> list[Target]:
    """So many questions in the log, not sealed yet: the part of each that holds its words."""
    with open_scope(tenant=firm.id, reason="a test"):
        alpha = firm.scope_ids("fund:alpha")
        events = [
            record(action=ANSWERED, core={"intent": "x"}, question={"text": "Who is ill?"}, scopes=alpha)
            for _ in range(count)
        ]
    return [Target(type=TargetType.EVENT_GROUP, id=event.id, part="question") for event in events]


def person(firm: Firm, name: str, role: Role) -> Principal:
    """The member of that name, made where there is none."""
    user = user_by_name(name)
    return make_member(firm, name, role) if user is None else user_principal(user, firm.id)


def proposed(
    firm: Firm, targets: Sequence[Target], *, origin: Origin = Origin.REQUEST, redacted: Sequence[Redacted] = ()
) -> RemovalRun:
    with as_(person(firm, f"dora-{firm.tenant.slug}", Role.DPO)):
        return run_propose(origin, new_id(), targets, REASON, redacted=redacted)


def approved(
    firm: Firm, targets: Sequence[Target], *, origin: Origin = Origin.REQUEST, redacted: Sequence[Redacted] = ()
) -> RemovalRun:
    run = proposed(firm, targets, origin=origin, redacted=redacted)
    with as_(person(firm, f"rita-{firm.tenant.slug}", Role.REVIEWER)):
        return run_approve(run.id)


def carried_out(firm: Firm, run: RemovalRun, policy: EnginePolicy = POLICY) -> RunState | None:
    """One turn, as glassbox_eraser in this process."""
    with acting_as("glassbox_eraser"):
        return run_carry_out(tenant_id=firm.id, run_id=run.id, policy=policy)


def again(firm: Firm, run: RemovalRun) -> RemovalRun:
    with open_scope(tenant=firm.id, reason="a test"):
        found: RemovalRun = RemovalRun.objects.get(id=run.id)
        return found


def expire(firm: Firm, run: RemovalRun) -> None:
    """As when the process that had it died some time ago."""
    with acting_as("glassbox_eraser"), open_scope(tenant=firm.id, reason="a test"):
        RemovalRun.objects.filter(id=run.id, lease_until__isnull=False).update(lease_until=timezone.now())


def outcomes(firm: Firm, run: RemovalRun) -> dict[Target, tuple[str, str]]:
    with open_scope(tenant=firm.id, reason="a test"):
        rows = RemovalTarget.objects.filter(run=run)
        return {
            Target(type=TargetType(row.type), id=row.item_id, part=row.part): (row.outcome, row.ground) for row in rows
        }


def ledger(firm: Firm, run: RemovalRun) -> Mapping[str, tuple[int, int, int, int, bool]]:
    """By store: before, removed, retained, remaining, and whether it is finished."""
    with open_scope(tenant=firm.id, reason="a test"):
        return {
            step.store: (step.before, step.removed, step.retained, step.remaining, step.finished_at is not None)
            for step in RemovalStep.objects.filter(run=run)
        }


def left_of(firm: Firm, targets: Sequence[Target]) -> int:
    """Rows of the targets, in all the tables of these tests."""
    with open_scope(tenant=firm.id, reason="a test"):
        ids = [target.id for target in targets]
        of_documents: int = Document.objects.filter(id__in=ids).count()
        of_documents += sum(model.objects.filter(document_id__in=ids).count() for model in (Page, Chunk))
        parts = set(Payload.objects.filter(event_id__in=ids).values_list("event_id", "group"))
        return of_documents + sum((target.id, target.part) in parts for target in targets)


def actions(firm: Firm, run: RemovalRun) -> list[str]:
    """The events of a run, the oldest first, without their beginning."""
    with open_scope(tenant=firm.id, reason="a test"):
        of_run = Event.objects.filter(subject_id=run.id, action__startswith="audit.removal.")
        found = of_run.order_by("id").values_list("action", flat=True)
        return [action.removeprefix("audit.removal.") for action in found]
