"""Which groups of the log go with a document, a person, a scope or a tenant, and which stay."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.audit.models import Payload
from apps.audit.registry import Group
from apps.audit.services import record
from apps.erasure.contracts import Target, TargetType
from apps.erasure.log_removal import Removal, removals_execute
from apps.erasure.runs.concerning import event_groups_of
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import authorised, sealed
from tests.audit.mutations import acting_as
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


def asked(firm: Firm, *documents: UUID, by: Principal | None = None, scopes: tuple[str, ...] = ("fund:alpha",)) -> UUID:
    with open_scope(tenant=firm.id, principal=by, reason="a test"):
        event = record(
            action="retrieval.question.answered",
            core={"intent": "x"},
            question={"text": "Who is ill?"},
            answer={"ref_ids": ["report#1"]},
            passages={"hits": [{"document_id": str(document)} for document in documents]},
            scopes=[ScopeId(id) for id in firm.scope_ids(*scopes)],
        )
    return event.id


def concerning(firm: Firm, *targets: tuple[TargetType, UUID]) -> set[tuple[UUID, str]]:
    with open_scope(tenant=firm.id, reason="a test"):
        found = event_groups_of([Target(type=type, id=id) for type, id in targets])
    assert list(found) == sorted(set(found))
    assert {each.type for each in found} <= {TargetType.EVENT_GROUP}
    return {(each.id, each.part) for each in found}


def groups(event: UUID, *names: Group) -> set[tuple[UUID, str]]:
    return {(event, str(name)) for name in names}


def test_with_a_document_go_the_passages_and_answers_of_all_that_hit_it(acme: Firm) -> None:
    one, two, three = uuid4(), uuid4(), uuid4()
    first, second = asked(acme, one), asked(acme, two, one)
    asked(acme, three)
    both = groups(first, Group.PASSAGES, Group.ANSWER) | groups(second, Group.PASSAGES, Group.ANSWER)
    assert concerning(acme, (TargetType.DOCUMENT, one)) == both
    assert concerning(acme, (TargetType.DOCUMENT, two)) == groups(second, Group.PASSAGES, Group.ANSWER)
    assert concerning(acme, (TargetType.DOCUMENT, one), (TargetType.DOCUMENT, two)) == both
    assert concerning(acme, (TargetType.DOCUMENT, uuid4())) == set()


def test_with_a_person_go_their_name_and_what_they_asked(acme: Firm) -> None:
    ann, bea = make_member(acme, "ann", Role.ANALYST), make_member(acme, "bea", Role.ANALYST)
    assert ann.id is not None
    of_ann = asked(acme, uuid4(), by=ann)
    asked(acme, uuid4(), by=bea)
    assert concerning(acme, (TargetType.USER, ann.id)) == groups(of_ann, Group.ACTOR, Group.QUESTION)


def test_with_a_scope_goes_what_touched_it_and_those_below_alone(acme: Firm) -> None:
    alpha = asked(acme, uuid4())
    asked(acme, uuid4(), scopes=("fund:beta",))
    both = asked(acme, uuid4(), scopes=("fund:alpha", "fund:beta"))
    whole = groups(alpha, Group.QUESTION, Group.ANSWER, Group.PASSAGES)
    found = concerning(acme, (TargetType.SCOPE, acme.scopes["fund:alpha"].id))
    assert found == whole
    of_root = concerning(acme, (TargetType.SCOPE, acme.root.id))
    assert of_root >= whole | groups(both, Group.QUESTION, Group.ANSWER, Group.PASSAGES)
    assert not [each for each in of_root if each[1] in (Group.CORE, Group.ACTOR)]


def test_with_a_tenant_goes_everything_but_the_core(acme: Firm) -> None:
    bolt = make_firm("bolt")
    asked(acme, uuid4())
    asked(bolt, uuid4())
    with open_scope(tenant=acme.id, reason="a test"):
        there = set(Payload.objects.exclude(group=Group.CORE).values_list("event_id", "group"))
    assert concerning(acme, (TargetType.TENANT, acme.tenant.id)) == there
    assert concerning(acme, (TargetType.TENANT, bolt.tenant.id)) == set()


def test_another_tenants_log_is_not_looked_at(acme: Firm) -> None:
    bolt, document = make_firm("bolt"), uuid4()
    asked(bolt, document)
    scope = bolt.scopes["fund:alpha"].id
    assert concerning(acme, (TargetType.DOCUMENT, document), (TargetType.SCOPE, scope)) == set()


def test_what_is_gone_concerns_nobody_any_more(acme: Firm) -> None:
    document = uuid4()
    event = asked(acme, document)
    sealed(acme)
    found = concerning(acme, (TargetType.DOCUMENT, document))
    authorising = authorised(acme.id, [Removal(event_id=id, group=Group(name)) for id, name in found])
    sealed(acme)
    with acting_as("glassbox_eraser"), open_scope(tenant=acme.id, reason="a test"):
        assert removals_execute(authorising_event_id=authorising.id).removed == 2
    assert concerning(acme, (TargetType.DOCUMENT, document)) == set()
    with open_scope(tenant=acme.id, reason="a test"):
        assert set(Payload.objects.filter(event_id=event).values_list("group", flat=True)) == {
            "core",
            "actor",
            "question",
        }


def test_thousands_of_documents_are_one_query_and_the_eraser_may_ask_it(acme: Firm) -> None:
    document = uuid4()
    event = asked(acme, document)
    targets = [Target(type=TargetType.DOCUMENT, id=each) for each in (document, *(uuid4() for _ in range(5_000)))]
    with acting_as("glassbox_eraser"), open_scope(tenant=acme.id, reason="a test"):
        with CaptureQueriesContext(connection) as queries:
            found = event_groups_of(targets)
        assert len(queries) == 1
        assert {each.id for each in found} == {event}
        assert event_groups_of([]) == ()
