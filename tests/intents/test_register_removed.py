"""The access centre on a document that an approved run removed: nobody is said to reach what is gone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.corpus.models import Document
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import RunState
from apps.erasure.log_removal import RemovalReason
from apps.intents.access.register.asking import Asked, Form, Register, register_ask
from apps.intents.access.register.contracts import Mode
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.removing import carried_out
from tests.baked import baked
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.deciding import run_approve
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def acme(settings: LazySettings, transactional_db: None) -> Iterator[Firm]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_firm, "acme")


def asked(by: Principal, document: Document, **question: object) -> Register:
    with as_(by):
        return register_ask(Asked(document=str(document.id), **question), form=Form.PAGE)  # type: ignore[arg-type]


def test_from_its_removal_by_a_run_on_nobody_reaches_it_and_before_they_did(acme: Firm) -> None:
    ada, ann = make_member(acme, "ada", Role.AUDITOR), make_member(acme, "ann", Role.ANALYST)
    made = ingest(acme, scope="fund:alpha")
    run(acme, made.job)
    while_there = timezone.now()
    with as_(ann):
        assert Document.objects.filter(id=made.document.id).exists()
    with as_(make_member(acme, "dora", Role.DPO)):
        removal = document_remove(document_id=made.document.id, reason=RemovalReason.DUPLICATE, words="Twice.")
    assert removal is not None
    # Proposed is not removed.
    assert {span.subject.name for span in asked(ada, made.document).spans} >= {"ada", "ann"}
    with as_(make_member(acme, "rita", Role.REVIEWER)):
        run_approve(removal.id)
    assert carried_out(acme, removal) is RunState.COMPLETED
    with as_(ann):
        assert not Document.objects.filter(id=made.document.id).exists()
    now = asked(ada, made.document)
    assert now.document is not None
    assert (now.spans, now.document.is_there) == ((), False)
    then = asked(ada, made.document, since=while_there)
    assert {span.subject.name for span in then.spans} >= {"ada", "ann"}
    over_time = asked(ada, made.document, mode=Mode.RANGE, since=while_there, until=timezone.now())
    assert {span.until for span in over_time.spans} == {now.document.gone_at}
    with open_scope(tenant=acme.id, reason="a test"):
        removal.refresh_from_db()
    assert now.document.gone_at is not None
    assert while_there < now.document.gone_at
    assert removal.finished_at is None or now.document.gone_at <= removal.finished_at
