"""The access centre's answers on the compliance profile, and kinds as the firm calls them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from apps.corpus.kinds import Kind
from apps.intents.access.register.asking import Asked, Form, Register, register_ask
from apps.intents.access.register.contracts import Mode, Version
from apps.intents.access.register.csv_file import register_csv
from apps.intents.access.register.kinds import kind_named
from apps.intents.access.register.words import notes, summary
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import RegisterQuestionError
from apps.intents.models import PolicyVersion
from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.profile_words import profile_notes
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_key, make_member
from tests.intents.profile.rules import ATLAS, TAX
from tests.intents.reviewing import submitted
from tests.model_server import ModelServer
from tests.visitor import Visitor

BASE = baseline_snapshot()
MOMENT = "%Y-%m-%dT%H:%M:%S.%f"
SWISS = ProfileRule(
    key="swiss", sort=RuleSort.JURISDICTIONS, name="Home", terms=("CH", "LI"), in_question=InQuestion.REFUSE
)
LOCAL = ProfileRule(key="local", sort=RuleSort.MODELS, name="House", terms=("local",), intents=("performance",))
IN_EU = ProfileRule(key="eu", sort=RuleSort.REGIONS, name="Union", terms=("eu",))
MARKED = replace(TAX, in_question=InQuestion.ALLOW, in_answer=InAnswer.FLAG)


def test_the_bounds_of_a_profile_are_told_each_in_its_way() -> None:
    assert list(profile_notes((SWISS, LOCAL, IN_EU, MARKED))) == [
        "Whoever asked: the compliance profile refused questions that name the values outside the bound of "
        "jurisdictions “Home”.",
        "The compliance profile marked answers that name the topic “Tax advice”.",
        "By the bound of jurisdictions “Home”, questions of every intent found no documents of other jurisdictions "
        "than CH or LI.",
        "By the bound of models “House”, questions of performance were answered in words by no other models than "
        "local.",
        "By the bound of regions “Union”, questions of every intent were answered in words in no other regions than "
        "eu.",
    ]


# --- A change of the profile alone -----------------------------------------------------------------------------------


@pytest.fixture
def acme(acme: Firm, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield acme


@pytest.fixture
def ada(acme: Firm) -> Principal:
    return make_member(acme, "ada", Role.AUDITOR)


@pytest.fixture
def moments(acme: Firm, ada: Principal) -> tuple[datetime, datetime]:
    """Two moments between which the profile alone changed."""
    officer, reviewer = (
        make_member(acme, name, role) for name, role in (("olivia", Role.COMPLIANCE_OFFICER), ("rupert", Role.REVIEWER))
    )
    before = datetime.now(UTC)
    version = submitted(officer, lambda policy: replace(policy, profile=(TAX, ATLAS)))
    with as_(reviewer):
        version_approve(version.id)
        return before, PolicyVersion.objects.get(id=version.id).valid_from


def comparison(moments: tuple[datetime, datetime]) -> Asked:
    return Asked(mode=Mode.CHANGES, since=moments[0], until=moments[1])


def asked(ada: Principal, moments: tuple[datetime, datetime]) -> Register:
    with as_(ada):
        return register_ask(comparison(moments), form=Form.PAGE)


@pytest.mark.django_db
def test_a_comparison_says_that_the_profile_alone_changed(ada: Principal, moments: tuple[datetime, datetime]) -> None:
    found = asked(ada, moments)
    assert found.policy_changes == ()
    assert found.changes == ()
    said = summary(found)
    assert "nobody's reach of documents of Acme differed" in said
    assert "What the compliance profile lets be asked and answered differed in 2 ways" in said
    assert found.profile_changes[0].startswith("Profile: the topic “Tax advice” is new")
    assert found.profile_changes[1].startswith("Profile: the product “Atlas Leveraged” is new")
    assert any(
        note.startswith("Policy version 2: Whoever asked: the compliance profile refused") for note in notes(found)
    )


@pytest.mark.django_db
def test_every_form_of_the_answer_tells_of_it(
    acme: Firm, ada: Principal, moments: tuple[datetime, datetime], capsys: pytest.CaptureFixture[str]
) -> None:
    question = {"mode": "changes", "until": moments[1].isoformat()}
    answer = (
        Api(make_key(acme, Role.AUDITOR)[1])
        .get("/api/v1/policy/access/list/", {**question, "date": moments[0].isoformat()})
        .json()
    )
    first = answer["profile_changes"][0]
    assert first.startswith("Profile: the topic “Tax advice” is new")
    page = Visitor("ada").open(
        "access_centre", mode="changes", since=moments[0].strftime(MOMENT), until=moments[1].strftime(MOMENT)
    )
    assert first in page.text
    times = ("--date", moments[0].isoformat(), "--until", moments[1].isoformat())
    call_command("policy", "reach", "--tenant", "acme", "--changes", *times)
    assert first in capsys.readouterr().out
    with as_(ada):
        parts = register_csv(register_ask(comparison(moments), form=Form.CSV))
        rows = list(csv.DictReader(io.StringIO(b"".join(parts).decode())))
    assert [row["kinds_by_intent"] for row in rows if row["change"] == "profile"] == answer["profile_changes"]


@pytest.mark.django_db
def test_the_csv_of_one_moment_has_the_bounds(ada: Principal, moments: tuple[datetime, datetime]) -> None:
    with as_(ada):
        parts = register_csv(register_ask(Asked(since=moments[1]), form=Form.CSV))
        text = b"".join(parts).decode()
    assert "Policy version 2: Whoever asked: the compliance profile refused questions" in text


@pytest.mark.django_db
def test_two_moments_of_one_version_say_that_nothing_differs(
    ada: Principal, moments: tuple[datetime, datetime]
) -> None:
    found = asked(ada, (moments[1], datetime.now(UTC)))
    assert found.profile_changes == ()
    assert "compliance profile" not in summary(found)


# --- Kinds as the firm calls them ------------------------------------------------------------------------------------


def version(policy: PolicySnapshot = BASE) -> Version:
    return Version(snapshot=policy, sha256="", reaches=(), valid_from=datetime(2026, 1, 1, tzinfo=UTC), valid_to=None)


def called(name: str, *keys: str) -> PolicySnapshot:
    return replace(
        BASE,
        budgets=tuple(
            replace(each, name=name, kind=Kind(each.kind.value, name)) if each.kind in keys else each
            for each in BASE.budgets
        ),
    )


@pytest.mark.parametrize("typed", ["run", " run ", "RUN", "Past runs", "past  RUNS", "Runs, past", ""])
def test_a_kind_is_found_by_its_key_and_by_its_name(typed: str) -> None:
    assert kind_named(typed, [version()]) == ("run" if typed else "")


def test_a_kind_is_found_by_each_name_that_it_had() -> None:
    versions = [version(), version(called("Künstlerakten", "run"))]
    assert {kind_named(typed, versions) for typed in ("Past runs", "kuenstlerakten", "run")} == {"run"}


def test_a_name_that_several_kinds_have_makes_no_statement() -> None:
    with pytest.raises(RegisterQuestionError) as refused:
        kind_named("files", [version(called("Files", "run", "methodology"))])
    assert refused.value.code == "intents.register_kind_ambiguous"
    assert "methodology (Files)" in refused.value.detail
    assert "run (Files)" in refused.value.detail


@pytest.mark.parametrize("typed", ["Past", "nothing of the kind", "--", "\u200b-"])
def test_a_name_that_no_kind_has_makes_no_statement(typed: str) -> None:
    with pytest.raises(RegisterQuestionError) as refused:
        kind_named(typed, [version()])
    assert refused.value.code == "intents.register_unknown_kind"
    assert "run (Past runs)" in refused.value.detail


@pytest.mark.django_db
def test_an_answer_by_the_name_is_the_answer_by_the_key(acme: Firm) -> None:
    auditor = Api(make_key(acme, Role.AUDITOR)[1])
    address = "/api/v1/policy/access/list/"
    by_name, by_key = (auditor.get(address, {"kind": each}).json() for each in ("Past runs", "run"))
    assert by_name["kind"] == by_key["kind"] == "run"
    assert by_name["rows"] == by_key["rows"]
    unknown = auditor.get(address, {"kind": "Lost runs"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "intents.register_unknown_kind")
