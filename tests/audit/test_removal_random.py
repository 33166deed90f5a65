"""Random removals from the log by runs that were proposed, approved and carried out, with thefts among them.

GLASSBOX_ERASURES=500 runs what the log is held to in full; the suite takes a sample.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection

from apps.audit.models import Event, Payload
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.audit.verify.offline import verify as verify_export
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.runs.lease import EnginePolicy
from apps.tenants.context import open_scope
from tests.audit.acting import checkpointed, sealed, verified_log
from tests.audit.forging import ANSWERED
from tests.audit.mutations import acting_as, as_api, log_keys, mutated, of_application, of_offline
from tests.audit.removing import approved, carried_out, stores_of_documents
from tests.factories import Firm, make_firm

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ERASURES = int(os.environ.get("GLASSBOX_ERASURES", "40"))
SEED = int(os.environ.get("GLASSBOX_SEED", "5"))
POLICY = EnginePolicy(batch=7, wait_seconds=0.0, retry_seconds=0.0)
Part = tuple[UUID, str]


def _filled(firm: Firm, events: int) -> list[Part]:
    """Questions with all their parts, sealed. Returns: every part but the cores."""
    with open_scope(tenant=firm.id, reason="a test"):
        for number in range(events):
            record(
                action=ANSWERED,
                core={"intent": "x", "policy_version": number},
                question={"text": f"Is claim {number} open?"},
                answer={"grounding": f"grounded {number}"} if number % 2 else None,
            )
    sealed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        ids = Event.objects.filter(action=ANSWERED).values_list("id", flat=True)
        parts = Payload.objects.filter(event_id__in=list(ids)).exclude(group="core").order_by("event_id", "group")
        return list(parts.values_list("event_id", "group"))


def _removed(firm: Firm, parts: list[Part]) -> None:
    """By a run, from its proposal to its end."""
    targets = [Target(type=TargetType.EVENT_GROUP, id=event_id, part=group) for event_id, group in parts]
    run = approved(firm, targets)
    for _ in range(4):
        if carried_out(firm, run, POLICY) is RunState.COMPLETED:
            return
        sealed(firm)
    raise AssertionError("it did not come to its end")


def test_no_removal_by_a_run_is_an_alarm_and_every_theft_among_them_is(tmp_path: Path) -> None:
    firm, chosen = make_firm("acme"), random.Random(SEED)
    parts = _filled(firm, ERASURES)
    assert checkpointed(firm)
    chosen.shuffle(parts)
    robbed: set[Part] = set()
    done = 0
    with stores_of_documents():
        while done < ERASURES:
            some = [parts.pop() for _ in range(min(chosen.randint(1, 40), ERASURES - done))]
            done += len(some)
            _removed(firm, some)
            if chosen.random() < 0.7:
                robbed.add(parts.pop())
    sealed(firm)
    assert verified_log(firm).findings == ()
    with acting_as("superuser"), mutated():
        with connection.cursor() as cursor:
            for event_id, group in robbed:
                cursor.execute("DELETE FROM audit_payload WHERE event_id = %s AND field_group = %s", [event_id, group])
        as_api()
        report = verify_tenant(tenant=firm.id)
        export_log(tenant=firm.id, output=tmp_path / "robbed")
    found = of_application(report)
    assert robbed
    assert {(kind, event, group) for kind, _, event, group, _ in found} == {
        ("UNAUTHORISED_REMOVAL", str(event_id), group) for event_id, group in robbed
    }
    assert report.checked.removed == done + len(robbed)
    assert found == of_offline(verify_export(tmp_path / "robbed", None, log_keys()))
