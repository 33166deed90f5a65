"""The table of a flow: who may take which step of a row, and what a page offers. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from apps.tenants.flows.operation import triggers
from apps.tenants.flows.table import By, Flow, Refusal, Step
from apps.tenants.roles import Permission

ALICE, BOB = UUID(int=1), UUID(int=2)
EDIT, APPROVE = Permission.POLICY_EDIT, Permission.POLICY_APPROVE
ALL = frozenset(Permission)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    state: str
    kind: str = "small"
    author_id: UUID | None = ALICE
    asked_by: UUID | None = None
    confirmed_by: UUID | None = None


def flow(**more: Any) -> Flow:
    given: dict[str, Any] = {
        "name": "test",
        "table": "a_table",
        "noun": "a row",
        "state": "state",
        "author": "author_id",
        "states": ("draft", "asked", "agreed", "gone"),
        "begins": "a row begins as a draft",
        "columns": {"agreed_by": "it's set by the agreement"},
        "steps": (
            Step(name="ask", before=("draft",), after="asked", by=By.AUTHOR, may=(EDIT,)),
            Step(
                name="agree",
                before=("asked",),
                after="agreed",
                by=By.SECOND,
                may=(APPROVE,),
                signed="agreed_by",
                sets=("agreed_by",),
            ),
            Step(name="drop", before=("draft", "asked"), after="gone", by=By.AUTHOR, may=(EDIT,)),
            Step(name="drop", before=("asked",), after="gone", by=By.PERSON, may=(APPROVE,)),
            Step(name="skip", before=("draft",), after="agreed", by=By.PERSON, where={"kind": "tiny"}),
            Step(
                name="confirm",
                before=("agreed",),
                after="gone",
                by=By.SECOND,
                may=(APPROVE,),
                author="asked_by",
                signed="confirmed_by",
            ),
            Step(name="follow", before=("draft",), after="gone", by=By.ANYONE, within=True),
            Step(name="sweep", before=("agreed",), after="gone", by=By.PLATFORM),
        ),
    }
    return Flow(**{**given, **more})


@pytest.mark.parametrize(
    ("name", "row", "person", "held", "because"),
    [
        ("ask", Row(state="draft"), ALICE, ALL, None),
        ("ask", Row(state="draft"), BOB, ALL, Refusal.NOT_AUTHOR),
        ("ask", Row(state="draft"), ALICE, {APPROVE}, Refusal.PERMISSION),
        ("ask", Row(state="asked"), ALICE, ALL, Refusal.STATE),
        ("ask", Row(state="draft", author_id=None), None, ALL, Refusal.NOT_AUTHOR),
        ("agree", Row(state="asked"), BOB, {APPROVE}, None),
        ("agree", Row(state="asked"), ALICE, ALL, Refusal.OWN),
        ("agree", Row(state="asked"), BOB, {EDIT}, Refusal.PERMISSION),
        ("drop", Row(state="asked"), ALICE, {EDIT}, None),
        ("drop", Row(state="asked"), BOB, {APPROVE}, None),
        ("drop", Row(state="draft"), BOB, ALL, Refusal.NOT_AUTHOR),
        ("drop", Row(state="asked"), BOB, {EDIT}, Refusal.PERMISSION),
        ("skip", Row(state="draft"), BOB, frozenset(), Refusal.STATE),
        ("skip", Row(state="draft", kind="tiny"), BOB, frozenset(), None),
        ("sweep", Row(state="agreed"), BOB, ALL, Refusal.PERMISSION),
        # What is no person decides on nothing, signs nothing and takes no person's step.
        ("agree", Row(state="asked"), None, ALL, Refusal.PERMISSION),
        ("skip", Row(state="draft", kind="tiny"), None, ALL, Refusal.PERMISSION),
        ("follow", Row(state="draft"), None, ALL, None),
        # What nobody asked for, or somebody has agreed to, is not agreed to.
        ("confirm", Row(state="agreed"), BOB, ALL, Refusal.STATE),
        ("confirm", Row(state="agreed", asked_by=ALICE), BOB, ALL, None),
        ("confirm", Row(state="agreed", asked_by=ALICE, confirmed_by=BOB), BOB, ALL, Refusal.STATE),
    ],
)
def test_why_a_person_cant_take_a_step(
    name: str, row: Row, person: UUID | None, held: frozenset[Permission], because: Refusal | None
) -> None:
    assert flow().refusal(row, name, person=person, may=held.__contains__) is because


def test_a_page_offers_what_its_reader_can_take_in_the_order_of_the_table() -> None:
    offered = flow().offered
    assert list(offered(Row(state="draft"), person=ALICE, may=ALL.__contains__)) == ["ask", "drop"]
    assert list(offered(Row(state="asked"), person=BOB, may=ALL.__contains__)) == ["agree", "drop"]
    assert not offered(Row(state="asked"), person=BOB, may=frozenset().__contains__)


def test_a_step_is_offered_as_its_reader_takes_it() -> None:
    offered = flow().offered
    assert offered(Row(state="asked"), person=ALICE, may=ALL.__contains__)["drop"].by is By.AUTHOR
    assert offered(Row(state="asked"), person=BOB, may=ALL.__contains__)["drop"].by is By.PERSON


def test_the_edges_are_those_of_all_steps() -> None:
    assert flow().edges() == {
        ("draft", "asked"),
        ("asked", "agreed"),
        ("draft", "gone"),
        ("asked", "gone"),
        ("draft", "agreed"),
        ("agreed", "gone"),
    }
    assert flow().leads("asked", "gone")
    assert not flow().leads("gone", "draft")
    assert flow().sources("drop") == {"draft", "asked"}


def test_a_table_with_an_unknown_state_or_column_is_a_programmers_mistake() -> None:
    with pytest.raises(ValueError, match="no states: asked"):
        flow(states=("draft", "agreed", "gone"))
    with pytest.raises(ValueError, match="no columns: agreed_by"):
        flow(columns={})
    with pytest.raises(KeyError):
        flow().ways("unheard_of")


def test_the_triggers_have_the_table_as_their_argument() -> None:
    made = triggers(flow())
    assert list(made) == ["ab_flow", "zz_second_person_agreed_by", "zz_second_person_confirmed_by"]
    assert made["zz_second_person_agreed_by"] == "tenants_second_person('author_id', 'agreed_by')"
    assert made["zz_second_person_confirmed_by"] == "tenants_second_person('asked_by', 'confirmed_by')"
    argument = made["ab_flow"].removeprefix("tenants_flow_step('").removesuffix("')")
    assert json.loads(argument.replace("''", "'")) == flow().as_json()
