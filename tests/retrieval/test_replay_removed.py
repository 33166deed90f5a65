"""A replay after approved runs have removed documents: it says how many it can no longer see, and of which scopes."""

from __future__ import annotations

import pytest

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import RunState
from apps.erasure.log_removal import RemovalReason
from apps.retrieval.replay.contracts import Replay
from apps.retrieval.replay.run import question_replay
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.removing import carried_out
from tests.baked import baked
from tests.corpus.ingesting import ingest, run
from tests.deciding import document_delete, run_approve
from tests.factories import Firm, as_, make_member
from tests.model_server import ModelServer
from tests.quality.impacting import asked
from tests.retrieval.asking import QUESTION, make_acme

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def acme(transactional_db: None, server: ModelServer) -> Firm:
    return baked(make_acme)


@pytest.fixture
def ada(acme: Firm) -> Principal:
    return make_member(acme, "ada", Role.AUDITOR)


def removed(principal: Principal, event: Event) -> list[str]:
    """Return how the sentences of the replay begin that count what was removed."""
    with as_(principal):
        replay: Replay = question_replay(Event.objects.get(id=event.id), typed=QUESTION)
    return [each.partition(" removed from")[0] for each in replay.limits if "removed from these scopes" in each]


def remove(firm: Firm, filename: str) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        document = Document.objects.get(filename=filename)
    with as_(make_member(firm, f"dora-{filename[:3]}", Role.DPO)):
        removal = document_remove(document_id=document.id, reason=RemovalReason.DUPLICATE, words="Twice.")
    assert removal is not None
    with as_(make_member(firm, f"rita-{filename[:3]}", Role.REVIEWER)):
        run_approve(removal.id)
    assert carried_out(firm, removal) is RunState.COMPLETED


def test_documents_that_runs_removed_count_with_those_that_were_deleted(acme: Firm, ada: Principal) -> None:
    amy = make_member(acme, "amy", Role.ANALYST)
    before = asked(amy, QUESTION)
    assert removed(ada, before) == []
    remove(acme, "rules.md")
    assert removed(ada, before) == ["1 document was"]
    with open_scope(tenant=acme.id, reason="a test"):
        document_delete(document_id=Document.objects.get(filename="beta.md").id)
    assert removed(ada, before) == ["2 documents were"]
    # A question that was asked later has never seen them.
    assert removed(ada, asked(amy, QUESTION)) == []


def test_neither_another_scopes_documents_count_nor_those_that_came_later(acme: Firm, ada: Principal) -> None:
    before = asked(make_member(acme, "ben", Role.ANALYST, scopes=["fund:alpha"]), QUESTION)
    wide = asked(make_member(acme, "amy", Role.ANALYST), QUESTION)
    remove(acme, "beta.md")
    later = b"# Later\n\nThe Alpha Fund recovered within two weeks.\n"
    run(acme, ingest(acme, later, filename="later.md", scope="fund:alpha", kind="run").job)
    remove(acme, "later.md")
    assert (removed(ada, before), removed(ada, wide)) == ([], ["1 document was"])
    remove(acme, "alpha.md")
    assert (removed(ada, before), removed(ada, wide)) == (["1 document was"], ["2 documents were"])
