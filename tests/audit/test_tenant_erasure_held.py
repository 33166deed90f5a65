"""The erasure of a tenant where something is held, where its log is used meanwhile, and where it is refused.

Each of these tests begins with an empty database and leaves one. So they have a file of their own: what
test_tenant_erasure.py commits once for all its tests would be gone.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from apps.audit.ids import new_id
from apps.audit.keys.data_keys import cache as key_cache
from apps.audit.models import DataKey, Event, Payload
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.erasure.contracts import Origin, RunState, Target
from apps.erasure.log_removal import RemovalReason
from apps.erasure.runs.expansion import expanded
from apps.erasure.runs.runs import run_propose
from apps.erasure.stores.tenant_log import DataKeys
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import sealed, verified_log
from tests.audit.ending import MATTER, all_rows, counted, ended, hold, holding, only_the_log, release, whole
from tests.audit.forging import ANSWERED
from tests.audit.removing import again, approved, asked, documents, ledger, outcomes, person
from tests.factories import Firm, as_, make_firm
from tests.raising import raises_code

WHO = "Quentin Marchetti"


@pytest.fixture
def firm(transactional_db: None) -> Firm:
    return make_firm("acme")


@pytest.mark.slow
def test_what_is_held_stays_with_who_answers_for_it_and_goes_when_it_is_released(firm: Firm) -> None:
    dora = person(firm, "dora-acme", Role.DPO)
    (held, other), (part, question) = documents(firm, 2), asked(firm, 2)
    placed = hold(dora, held, part)
    sealed(firm)
    run = approved(firm, [whole(firm)])
    assert ended(firm, run) is RunState.PARTIALLY_COMPLETED
    ground = f"hold:{placed.id}"
    assert outcomes(firm, run)[held] == outcomes(firm, run)[whole(firm)] == ("retained", ground)
    assert counted(firm, other, question) == {}
    assert counted(firm, held) == {
        "corpus.documents": 1,
        "corpus.pages": 3,
        "corpus.chunks": 3,
        # Of the run: what is held stays out of use.
        "audit.restrictions": 1,
    }
    assert counted(firm, part) == {"audit.payloads": 1}
    of_ledger = ledger(firm, run)
    assert of_ledger["corpus.pages"] == (6, 3, 3, 0, True)
    assert of_ledger["audit.payloads"][2] == 1
    assert of_ledger["tenants.access_memberships"] == (2, 0, 2, 0, True)
    assert of_ledger["intents.policies"][1] > 0
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(id=part.id)
        assert payloads_of([event], groups=["question"])[event.id]["question"] == {"text": "Who is ill?"}
    assert verified_log(firm).findings == ()
    # Who placed it releases it, and that is what the run has waited for.
    release(dora, placed)
    sealed(firm)
    assert ended(firm, run) is RunState.COMPLETED
    assert set(outcomes(firm, run).values()) == {("removed", "")}
    assert counted(firm, whole(firm), held, part) == {}
    assert verified_log(firm).findings == ()
    assert holding(all_rows(), MATTER, "Settled out of court", "dora-acme", "Who is ill?") == {}


@pytest.mark.slow
def test_what_is_held_after_the_log_was_to_be_emptied_stays(firm: Firm) -> None:
    dora = person(firm, "dora-acme", Role.DPO)
    (part,) = asked(firm)
    sealed(firm)
    run = approved(firm, [whole(firm)])
    with only_the_log():
        assert ended(firm, run, turns=1) is RunState.EXECUTING
        placed = hold(dora, part)
        assert ended(firm, run) is RunState.PARTIALLY_COMPLETED
        assert counted(firm, part) == {"audit.payloads": 1}
        assert verified_log(firm).findings == ()
        release(dora, placed)
        sealed(firm)
        assert ended(firm, run) is RunState.COMPLETED
        assert counted(firm, whole(firm), part) == {}
    assert verified_log(firm).findings == ()


@pytest.mark.slow
def test_what_another_process_seals_by_an_old_key_meanwhile_goes_as_well(firm: Firm) -> None:
    from apps.erasure.stores import tenant_log

    sealed(firm, 3)
    run = approved(firm, [whole(firm)])
    with only_the_log():
        assert ended(firm, run, turns=1) is RunState.EXECUTING
        with open_scope(tenant=firm.id, reason="a test"):
            old = DataKey.objects.exclude(epoch__startswith="end.").get()
            key_cache.clear()
        # As a process does that has used the key within five minutes.
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("apps.audit.keys.data_keys._of_period", lambda _: old)
            asked(firm)
        key_cache.clear()
        assert ended(firm, run) is RunState.COMPLETED
        assert counted(firm, whole(firm)) == {}
    with open_scope(tenant=firm.id, reason="a test"):
        assert [key.epoch for key in DataKey.objects.all()] == ["end.2"]
        assert tenant_log._said() is not None
    assert verified_log(firm).findings == ()


@pytest.mark.slow
def test_a_key_that_is_used_once_more_before_it_goes_is_waited_for(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sealed by it after the log was emptied is removed by another event, and only then the key."""
    destroy = DataKeys.clear
    late: list[Event] = []

    def clear(self: DataKeys, targets: Sequence[Target], *, limit: int) -> int:
        if not late:
            old = DataKey.objects.exclude(epoch__startswith="end.").get()
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("apps.audit.keys.data_keys._of_period", lambda _: old)
                key_cache.clear()
                late.append(record(action=ANSWERED, core={"intent": "x"}, question={"text": f"Who is {WHO}?"}))
        return destroy(self, targets, limit=limit)

    monkeypatch.setattr(DataKeys, "clear", clear)
    sealed(firm, 3)
    run = approved(firm, [whole(firm)])
    with only_the_log():
        assert ended(firm, run) is RunState.COMPLETED
        assert counted(firm, whole(firm)) == {}
    with open_scope(tenant=firm.id, reason="a test"):
        assert [key.epoch for key in DataKey.objects.all()] == ["end.2"]
        assert not Payload.objects.filter(event_id=late[0].id).exists()
    assert verified_log(firm).findings == ()


def test_another_tenant_is_not_proposed(firm: Firm) -> None:
    bolt = make_firm("bolt")
    with as_(person(firm, "dora-acme", Role.DPO)), raises_code("audit.removal_of_another_tenant"):
        run_propose(Origin.REQUEST, new_id(), [whole(bolt)], RemovalReason.ERASURE_REQUEST)


def test_a_tenant_is_frozen_with_its_documents(firm: Firm) -> None:
    made = documents(firm, 2)
    run = approved(firm, [whole(firm)])
    assert outcomes(firm, run).keys() == {whole(firm), *made}
    with open_scope(tenant=firm.id, reason="a test"):
        assert expanded(expanded([whole(firm)])) == tuple(sorted({whole(firm), *made}))
    assert again(firm, run).state == "approved"
