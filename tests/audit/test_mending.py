"""A log that was spoilt past the application is mended: by two people, with an event, and both verifiers say so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.audit.ids import new_id
from apps.audit.keys.data_keys import current_data_key
from apps.audit.models import Event, Payload
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.audit.verify.findings import FindingClass
from apps.audit.verify.offline import verify as verify_offline
from apps.erasure.contracts import RunState
from apps.erasure.log_removal import RemovalReason
from apps.erasure.mending import NothingToMendError, mend_propose, parts_to_mend
from apps.erasure.models import RemovalRun
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed
from tests.audit.forging import ANSWERED, bare_event, superuser
from tests.audit.mutations import authorise, execute, log_keys, of_application, of_offline
from tests.audit.removing import carried_out
from tests.baked import baked
from tests.deciding import run_approve
from tests.factories import Firm, as_, make_firm, make_member
from tests.isolation.harness import sql
from tests.raising import raises_code

pytestmark = pytest.mark.django_db(transaction=True)

_PUT = """
    INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms)
    SELECT tenant_id, event_id, scope_ids, %s, ciphertext, data_key_id, terms
      FROM audit_payload WHERE event_id = %s LIMIT 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoilt:
    firm: Firm
    dora: Principal
    rupert: Principal
    forged: Event


@pytest.fixture
def spoilt() -> Spoilt:
    """Parts put to a sealed event, one of them in the place of what was erased; copied commitments; a bare event."""
    firm = baked(make_firm, "acme")
    dora, rupert = make_member(firm, "dora", Role.DPO), make_member(firm, "rupert", Role.REVIEWER)
    alice = make_member(firm, "alice", Role.ANALYST)
    with open_scope(tenant=firm.id, reason="a test"):
        event = record(action=ANSWERED, core={"intent": "x"}, question={"text": "Who is ill?"})
    sealed(firm)
    execute(firm, authorise(firm, [(str(event.id), "question")]))
    _copy(firm, alice, event)
    with open_scope(tenant=firm.id, reason="a test"):
        forged = bare_event({}, action="intents.policy.approved", actor_kind="user", actor_label="Rita")
        with superuser() as administrator:
            administrator.execute(
                "INSERT INTO audit_unsealed (tenant_id, event_id) VALUES (%s, %s)", [firm.id, forged.id]
            )
    sealed(firm)
    with superuser() as administrator:
        for group in ("answer", "any:thing", "question"):
            administrator.execute(_PUT, [group, event.id])
    return Spoilt(firm=firm, dora=dora, rupert=rupert, forged=forged)


def _copy(firm: Firm, person: Principal, event: Event) -> None:
    """With nothing but SQL and their own token: what the database can't tell from a part of their own."""
    with open_scope(tenant=firm.id, principal=person):
        key = current_data_key(firm.id, event.occurred_at).id
        sql(
            "SELECT audit_record(%s, '{}', %s, 'success', '', NULL, %s, ARRAY['actor', 'core'], %s::bytea[], "
            "%s::bytea[], ARRAY['', ''])",
            new_id(),
            ANSWERED,
            key,
            [bytes.fromhex(event.commitments[group]) for group in ("actor", "core")],
            [bytes(row.ciphertext) for row in Payload.objects.filter(event_id=event.id).order_by("group")][:2],
        )


def both(firm: Firm, folder: Path) -> Counter[str]:
    """What the two verifiers find, by class; they agree in every place."""
    report = verify_tenant(tenant=firm.id)
    export_log(tenant=firm.id, output=folder)
    offline = verify_offline(folder, None, log_keys())
    assert of_application(report) == of_offline(offline)
    return Counter({str(kind): count for kind, count in report.totals.items()})


@pytest.mark.slow
def test_what_was_put_into_a_log_is_taken_out_by_two_people_and_it_verifies(spoilt: Spoilt, tmp_path: Path) -> None:
    firm = spoilt.firm
    checkpointed(firm)
    assert both(firm, tmp_path / "before") == {
        FindingClass.UNKNOWN_GROUP: 2,
        FindingClass.ALTERED_GROUP: 3,
        FindingClass.INCOMPLETE_ERASURE: 1,
        FindingClass.UNVOUCHED_EVENT: 1,
    }
    run = mend_propose(spoilt.dora)
    assert run.reason_code == RemovalReason.RECORDED_BY_MISTAKE
    with as_(spoilt.dora), raises_code("audit.removal_run_own", "tenants.permission_denied"):
        run_approve(run.id)
    with as_(spoilt.rupert):
        run_approve(run.id)
    assert _to_its_end(firm, run) is RunState.COMPLETED
    sealed(firm)
    checkpointed(firm)
    assert both(firm, tmp_path / "after") == {}
    with open_scope(tenant=firm.id, reason="a test"):
        assert Event.objects.get(id=spoilt.forged.id).actor_label == ""
        assert Event.objects.filter(subject_id=run.id, action="audit.removal.ended").exists()
    with pytest.raises(NothingToMendError):
        mend_propose(spoilt.dora)


def test_nobody_but_who_manages_privacy_proposes_it_and_the_command_names_what_goes(
    spoilt: Spoilt, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PermissionDeniedError):
        mend_propose(spoilt.rupert)
    with pytest.raises(CommandError, match="These roles have it"):
        call_command("audit", "mend", tenant="acme", by="rupert")
    with pytest.raises(CommandError, match="no account"):
        call_command("audit", "mend", tenant="acme", by="nobody")
    call_command("audit", "mend", tenant="acme", by="dora")
    told = capsys.readouterr().out
    for target in parts_to_mend(spoilt.firm.id):
        assert f"event {target.id}, part {target.part}" in told
    assert "/privacy/runs/" in told


def _to_its_end(firm: Firm, run: RemovalRun) -> RunState | None:
    """Turn by turn: what authorises a removal is sealed between them."""
    state = carried_out(firm, run)
    for _ in range(3):
        if state is not RunState.EXECUTING:
            break
        sealed(firm)
        state = carried_out(firm, run)
    return state


def test_whole_logs_need_no_mending() -> None:
    firm = make_firm("bolt")
    sealed(firm)
    assert parts_to_mend(firm.id) == []
