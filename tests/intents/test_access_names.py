"""Whom a typed name means: people as they are written, past members too, and nobody of another tenant."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.audit.models import Event
from apps.intents.access import AccessAnswer, Verdict
from apps.intents.access.names import addresses, is_part, is_whole, likeness, words
from apps.intents.errors import AmbiguousNameError
from apps.intents.management import policy_at
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import Scope, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_create, api_key_revoke
from tests.factories import Firm, confirm, make_firm, make_invited, make_key, make_member
from tests.intents.named import end_memberships, make_named
from tests.intents.test_access import asked

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(acme: Firm) -> Principal:
    """An auditor. Maria Lindqvist is the only person whose name is anything like hers."""
    make_named(acme, "mlind", "Maria", "Lindqvist", email="Maria.Lindqvist@acme.example")
    make_named(acme, "jmuller", "Jörg", "Müller-Łuk")
    return make_named(acme, "dora", "Dora", "Auditor", role=Role.AUDITOR)


@pytest.fixture
def two_marias(acme: Firm, dora: Principal) -> Principal:
    """Beside the first one a namesake, who has left."""
    make_named(acme, "maria2", "Maria", "Lindqvist", role=Role.REVIEWER)
    end_memberships(acme, "maria2")
    return dora


def named(firm: Firm, by: Principal, name: str, **question: Any) -> str | None:
    """Return the user name of the person whom the answer is about, or None."""
    subject = asked(firm, principal=by, user=name, **question).subject
    return subject.name if subject.id else None


def ambiguous(firm: Firm, by: Principal, name: str) -> list[tuple[str, str, str]]:
    """Return the candidates: user name, display name, standing."""
    with pytest.raises(AmbiguousNameError) as raised:
        asked(firm, principal=by, user=name)
    return [(each.name, each.label, each.standing) for each in raised.value.data["candidates"]]


def suggested(answer: AccessAnswer) -> list[str]:
    return [each.name for each in answer.suggestions]


# --- Initials and keys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "name"), [("ml", "mlind"), ("M. Lind", "mlind"), ("JML", "jmuller"), ("jmł", "jmuller")]
)
def test_a_member_is_found_by_initials(acme: Firm, dora: Principal, typed: str, name: str) -> None:
    assert named(acme, dora, typed) == name


def test_initials_of_two_people_are_ambiguous(acme: Firm, two_marias: Principal) -> None:
    assert [each[0] for each in ambiguous(acme, two_marias, "ML")] == ["maria2", "mlind"]


def test_an_ended_key_is_found_by_its_name(acme: Firm, dora: Principal) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        key, _ = api_key_create(name="Reporting portal", role=Role.ANALYST, scopes=[acme.root])
        api_key_revoke(key)
    for typed in ("reporting portal", "Portal", "Reporting"):
        assert named(acme, dora, typed) == f"gbx_{key.prefix}"


def test_a_rotated_key_and_its_successor_are_candidates(acme: Firm, dora: Principal) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        old, _ = api_key_create(name="Portal", role=Role.ANALYST, scopes=[acme.root])
        api_key_revoke(old)
        new, _ = api_key_create(name="Portal", role=Role.ANALYST, scopes=[acme.root])
    found = ambiguous(acme, dora, "portal")
    assert found == [
        (f"gbx_{old.prefix}", "Portal", "API key, ended"),
        (f"gbx_{new.prefix}", "Portal", "API key, Analyst"),
    ]


def test_a_key_that_is_named_after_its_person_does_not_stand_in_their_way(acme: Firm, dora: Principal) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        api_key_create(name="script of Lindqvist", role=Role.ANALYST, scopes=[acme.root])
    assert named(acme, dora, "Lindqvist") == "mlind"


def test_a_key_of_another_tenant_is_nobody_here(acme: Firm, dora: Principal) -> None:
    with open_scope(tenant=make_firm("bolt").id, reason="a test"):
        api_key_create(name="Treasury feed", role=Role.ANALYST, scopes=[Scope.objects.get(key="firm:bolt")])
    answer = asked(acme, principal=dora, user="Treasury feed")
    assert (answer.verdict, answer.suggestions) == (Verdict.NOT_KNOWN, ())


# --- One match ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        "mlind",
        "MLIND",
        "Maria Lindqvist",
        "maria lindqvist",
        "  Maria   Lindqvist ",
        "Lindqvist, Maria",
        "LINDQVIST MARIA",
        "Mária Lindqvist",
        "Lindqvist",
        "lindq",
        "M. Lindqvist",
        "Maria.Lindqvist@acme.example",
        "maria.lindqvist@acme.example",
        "MARIA.LINDQVIST@ACME.EXAMPLE",
    ],
)
def test_a_member_is_found_as_people_write_the_name(acme: Firm, dora: Principal, typed: str) -> None:
    assert named(acme, dora, typed) == "mlind"


@pytest.mark.parametrize(
    "typed", ["Jörg Müller-Łuk", "Jorg Muller Luk", "Joerg Mueller-Luk", "Mueller", "MÜLLER", "Mu\u0308ller-Łuk, Jörg"]
)
def test_accents_may_be_left_out_or_written_out(acme: Firm, dora: Principal, typed: str) -> None:
    assert named(acme, dora, typed) == "jmuller"


def test_the_answer_names_who_was_meant(acme: Firm, dora: Principal) -> None:
    answer = asked(acme, principal=dora, user="lindqvist")
    assert (answer.verdict, answer.subject.name, answer.subject.label) == (
        Verdict.COULD_REACH,
        "mlind",
        "Maria Lindqvist",
    )
    assert ", Maria Lindqvist (mlind), as Analyst since" in answer.sentence


def test_an_address_that_is_the_user_name_is_found_in_any_case(acme: Firm, dora: Principal) -> None:
    make_member(acme, "Nora.Berg@acme.example", Role.ANALYST)
    assert named(acme, dora, "nora.BERG@acme.example") == "Nora.Berg@acme.example"
    assert named(acme, dora, "Nora Berg") == "Nora.Berg@acme.example"


def test_an_address_is_not_found_by_a_part(acme: Firm, dora: Principal) -> None:
    assert named(acme, dora, "Lindqvist@acme.example") is None


def test_an_exact_user_name_wins_over_everything(acme: Firm, dora: Principal) -> None:
    make_named(acme, "Lindqvist", "Somebody", "Else")
    assert named(acme, dora, "Lindqvist") == "Lindqvist"
    assert {name for name, _, _ in ambiguous(acme, dora, "lindqvist")} == {"Lindqvist", "mlind"}


def test_a_whole_name_wins_over_a_longer_one(acme: Firm, dora: Principal) -> None:
    make_named(acme, "anna", "Anna Maria", "Lindqvist")
    assert named(acme, dora, "Maria Lindqvist") == "mlind"
    assert {name for name, _, _ in ambiguous(acme, dora, "Lindqvist")} == {"anna", "mlind"}


def test_a_former_member_is_found(acme: Firm, dora: Principal) -> None:
    end_memberships(acme, "mlind")
    answer = asked(acme, principal=dora, user="Maria Lindqvist")
    assert (answer.subject.name, answer.verdict) == ("mlind", Verdict.NOT_VALID)


# --- Several --------------------------------------------------------------------------------------------------------


def test_of_two_people_of_one_name_nothing_is_stated(acme: Firm, two_marias: Principal) -> None:
    assert ambiguous(acme, two_marias, "Maria Lindqvist") == [
        ("maria2", "Maria Lindqvist", "former member"),
        ("mlind", "Maria Lindqvist", "Analyst"),
    ]
    assert [named(acme, two_marias, name) for name in ("mlind", "maria2")] == ["mlind", "maria2"]


def test_a_candidate_has_every_role_of_today(acme: Firm, two_marias: Principal) -> None:
    make_member(acme, "mlind", Role.DPO)
    assert ambiguous(acme, two_marias, "maria")[1][2] == "Data protection officer, Analyst"


def test_many_candidates_are_counted(acme: Firm, dora: Principal) -> None:
    for number in range(22):
        make_named(acme, f"twin{number}", "Tom", "Twin")
    with pytest.raises(AmbiguousNameError) as raised:
        asked(acme, principal=dora, user="Tom Twin")
    assert (len(raised.value.data["candidates"]), raised.value.data["more"]) == (20, 2)


# --- Nobody ---------------------------------------------------------------------------------------------------------


def test_of_nobody_nothing_is_stated_and_the_nearest_names_are_told(acme: Firm, dora: Principal) -> None:
    answer = asked(acme, principal=dora, user="Mria Lindquist")
    assert (answer.verdict, suggested(answer)) == (Verdict.NOT_KNOWN, ["mlind"])
    assert answer.sentence == (
        "No member of Acme, past or present, has the name “Mria Lindquist”, so there is no answer."
    )


def test_the_nearest_name_comes_first(acme: Firm, dora: Principal) -> None:
    make_named(acme, "anna", "Anna Maria", "Lindqvist-Berg")
    assert suggested(asked(acme, principal=dora, user="Mria Lindquist")) == ["mlind", "anna"]


def test_of_an_address_only_that_nobody_is_found_by_it(acme: Firm, dora: Principal) -> None:
    answer = asked(acme, principal=dora, user="x@acme.example")
    assert answer.sentence == (
        "No member of Acme, past or present, is found by the address “x@acme.example”, so there is no answer."
    )


@pytest.mark.parametrize("year", [2001, 2199])
def test_nor_is_anything_stated_of_another_date(acme: Firm, dora: Principal, year: int) -> None:
    answer = asked(acme, principal=dora, user="nobody", at=acme.tenant.created_at.replace(year=year, day=1))
    assert (answer.verdict, "reach" in answer.sentence) == (Verdict.NOT_KNOWN, False)


def test_who_waits_to_be_confirmed_is_no_member_yet(acme: Firm, dora: Principal) -> None:
    admin = make_member(acme, "ada", Role.TENANT_ADMIN)
    waiting = make_invited(acme, "willa", Role.REVIEWER, by=admin)
    assert named(acme, dora, "willa") is None
    assert suggested(asked(acme, principal=dora, user="wila")) == []
    confirm(waiting, by=make_member(acme, "rita", Role.REVIEWER))
    assert suggested(asked(acme, principal=dora, user="wila")) == ["willa"]


# --- Other tenants, and people without the permission ---------------------------------------------------------------


def test_a_namesake_in_another_tenant_is_no_candidate(acme: Firm, dora: Principal) -> None:
    bolt = make_firm("bolt")
    make_named(bolt, "maria-of-bolt", "Maria", "Lindqvist", email="maria@bolt.example")
    make_named(bolt, "olga", "Olga", "Only", email="olga@bolt.example")
    assert named(acme, dora, "Maria Lindqvist") == "mlind"
    for typed in ("Olga Only", "olga", "olga@bolt.example", "maria@bolt.example", "Olga Onli"):
        answer = asked(acme, principal=dora, user=typed)
        assert (answer.verdict, set(suggested(answer)) <= {"mlind"}) == (Verdict.NOT_KNOWN, True)


NAMES = ["mlind", "Maria Lindqvist", "maria", "Mria Lindquist", "Maria.Lindqvist@acme.example", "nobody", "erin e"]


@pytest.mark.parametrize("role", [Role.ANALYST, Role.TENANT_ADMIN])
def test_who_may_not_ask_about_others_learns_nothing_from_names(acme: Firm, two_marias: Principal, role: Role) -> None:
    """Neither from the refusal nor from what it costs: two marias, one, or none."""
    erin = make_named(acme, "erin", "Erin", "Ek", role=role)
    told = set()
    for typed in NAMES:
        with (
            open_scope(tenant=acme.id, principal=erin),
            CaptureQueriesContext(connection) as captured,
            pytest.raises(PermissionDeniedError) as raised,
        ):
            policy_at.access_ask(user=typed)
        told.add((str(raised.value), tuple(sorted(raised.value.data.items())), len(captured)))
    assert len(told) == 1
    assert asked(acme, principal=erin, user="erin").subject.id == erin.id


@pytest.mark.parametrize("typed", NAMES)
def test_nor_does_a_key_without_the_permission(acme: Firm, two_marias: Principal, typed: str) -> None:
    principal, _ = make_key(acme, Role.ANALYST)
    with pytest.raises(PermissionDeniedError):
        asked(acme, principal=principal, user=typed)


# --- The log --------------------------------------------------------------------------------------------------------


def test_every_question_is_recorded_and_never_the_name(acme: Firm, two_marias: Principal) -> None:
    ambiguous(acme, two_marias, "Maria Lindqvist")
    asked(acme, principal=two_marias, user="Mria Lindquist")
    asked(acme, principal=two_marias, user="Müller")
    with open_scope(tenant=acme.id, reason="a test"):
        events = list(Event.objects.filter(action="intents.access.asked").order_by("occurred_at"))
        recorded = [event.payload["core"] for event in events]
        assert [each["verdict"] for each in recorded] == ["ambiguous", "not_known", "could_reach"]
        assert [each["user_id"] is None for each in recorded] == [True, True, False]
        assert {event.actor_id for event in events} == {two_marias.id}
        written = json.dumps([event.payload for event in events])
    assert not any(name in written for name in ("Maria", "Mria", "Lindq", "mlind", "maria2", "Müller", "jmuller"))


def test_the_error_never_has_the_typed_name(acme: Firm, two_marias: Principal) -> None:
    with pytest.raises(AmbiguousNameError) as raised:
        asked(acme, principal=two_marias, user="maria  LINDQV")
    assert "LINDQV" not in f"{raised.value} {raised.value.data}"


# --- The command ----------------------------------------------------------------------------------------------------


def at_command(*arguments: str) -> str:
    command = BaseCommand(stdout=StringIO())
    parser = CommandParser()
    policy_at.add_arguments(parser)
    policy_at.run(command, vars(parser.parse_args(arguments)))
    return " ".join(str(command.stdout.getvalue()).split())


def test_the_command_lists_the_candidates_with_a_ready_question_each(acme: Firm, two_marias: Principal) -> None:
    with pytest.raises(CommandError) as raised:
        at_command("--tenant", "acme", "--user", "Maria Lindqvist", "--intent", "performance")
    told = str(raised.value)
    assert "Maria Lindqvist (mlind), Analyst" in told
    assert "Maria Lindqvist (maria2), former member" in told
    assert "manage.py policy at --tenant acme --intent performance --user maria2" in told


def test_the_command_prints_the_nearest_names(acme: Firm, dora: Principal) -> None:
    output = at_command("--tenant", "acme", "--user", "Mria Lindquist")
    assert "so there is no answer. The nearest names: Maria Lindqvist (mlind), Analyst" in output


# --- Names by themselves --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "name", "whole", "part"),
    [
        ("Sean O'Brien", "Seán O\u2019Brien", True, True),
        ("obrien", "Sean O'Brien", False, True),
        ("Anna Lena Groß", "Anna-Lena GROSS", True, True),
        ("İlker I\u015f\u0131k", "Ilker Isik", True, True),
        ("王 伟", "王 伟", True, True),
        ("Anna A", "Anna Berg", False, False),
        ("an anna", "Anna Andersson", False, True),
        ("Ben", "Anna Bentham", False, True),
        ("rg", "Anna Berg", False, False),
        ("---", "Anna Berg", False, False),
        ("", "Anna Berg", False, False),
    ],
)
def test_words_of_names_are_compared_as_people_write_them(typed: str, name: str, whole: bool, part: bool) -> None:
    assert (is_whole(words(typed), words(name)), is_part(words(typed), words(name))) == (whole, part)


def test_a_slip_is_near_and_another_name_is_not() -> None:
    assert likeness(words("Lindquist"), words("Maria Lindqvist")) > 75
    assert likeness(words("charlie"), words("alice")) < 75
    assert likeness(words("x"), words("")) == likeness(words("@"), words("alice")) == 0


def test_an_address_is_looked_up_as_accounts_may_hold_it() -> None:
    assert addresses(" MARIA.Lind@Acme.example ") == (
        "MARIA.Lind@acme.example",
        "maria.lind@acme.example",
        "Maria.Lind@acme.example",
    )
    assert addresses("@acme.example") == addresses("maria@") == ()


def test_no_account_s_address_is_read(acme: Firm, dora: Principal) -> None:
    """Only whether an account has a given one."""
    with open_scope(tenant=acme.id, principal=dora):
        assert User.objects.get(username="mlind").email is None
