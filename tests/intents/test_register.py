"""The access centre's answers: as the real gate met requests at the time, narrowed, recorded, and never of a guess."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Q
from django.utils import timezone

from apps.audit.models import Event
from apps.intents.access.register.asking import Asked, Form, Register, register_ask
from apps.intents.access.register.contracts import Mode
from apps.intents.access.register.csv_file import COLUMNS, register_csv
from apps.intents.access.register.json_page import register_json
from apps.intents.access.register.reading import history_read
from apps.intents.access.register.reckoning import Reckoner
from apps.intents.access.register.words import notes, summary
from apps.intents.errors import (
    AmbiguousDocumentError,
    AmbiguousNameError,
    NameNotKnownError,
    RegisterQuestionError,
)
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force
from apps.tenants.context import current_scope, open_scope
from apps.tenants.errors import InvalidKeyError, PermissionDeniedError, UnknownTenantError
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.services.api_keys import api_key_create
from apps.tenants.services.members import membership_revoke
from tests.api.client import Api
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, as_, make_firm, make_key, make_member, make_personal_key, make_user
from tests.intents.named import make_named
from tests.intents.test_selectors import second_version

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/policy/access/list/"


def asked(firm: Firm, by: Principal, **question: Any) -> Register:
    with open_scope(tenant=firm.id, principal=by):
        return register_ask(Asked(**question), form=Form.PAGE)


def who(register: Register) -> list[str]:
    return [span.subject.name for span in register.spans]


@pytest.fixture
def ada(acme: Firm) -> Principal:
    return make_member(acme, "ada", Role.AUDITOR)


# --- The real gate, step by step --------------------------------------------------------------------------------------


@dataclass
class Story:
    """A random history, written with explicit times by the platform; what the real gate met is noted at each step."""

    firm: Firm
    random: Random
    now: datetime
    users: list[User] = field(default_factory=list)
    keys: list[ApiKey] = field(default_factory=list)
    scopes: list[UUID] = field(default_factory=list)
    met: list[tuple[datetime, dict[str, Any]]] = field(default_factory=list)

    def begin(self) -> None:
        self.users = [make_user(f"user{number}") for number in range(3)]
        for user in self.users[:2]:
            self.give_role(user)

    def step(self) -> None:
        self.now += timedelta(minutes=7)
        steps = (
            *(self.give_role, self.give_role, self.grant, self.grant, self.make_scope, self.make_key),
            *(self.end_role, self.end_grant, self.end_key),
        )
        self.random.choice(steps)()
        self.met.append((self.now + timedelta(minutes=3), self.gate()))

    def give_role(self, user: User | None = None) -> None:
        user = user or self.random.choice(self.users)
        role = self.random.choice(list(Role))
        if Membership.objects.filter(user=user, role=role, revoked_at__isnull=True).exists():
            return
        made = Membership.objects.create(tenant_id=self.firm.id, user=user, role=role, created_at=self.now)
        self.grant(Q(id=made.id))

    def end_role(self) -> None:
        found = self._any(Membership.objects.filter(revoked_at__isnull=True))
        if found is not None:
            Membership.objects.filter(id=found.id).update(revoked_at=self.now)
            Grant.objects.filter(membership=found, valid_to__isnull=True).update(valid_to=self.now)

    def grant(self, condition: Q | None = None) -> None:
        holder = self._any(Membership.objects.filter(condition or Q(), revoked_at__isnull=True))
        scope = self._any(Scope.objects.all())
        if holder and not Grant.objects.filter(membership=holder, scope=scope, valid_to__isnull=True).exists():
            Grant.objects.create(tenant_id=self.firm.id, membership=holder, scope=scope, valid_from=self.now)

    def end_grant(self) -> None:
        found = self._any(Grant.objects.filter(valid_to__isnull=True))
        if found is not None:
            Grant.objects.filter(id=found.id).update(valid_to=self.now)

    def make_scope(self) -> None:
        parent = self._any(Scope.objects.all())
        made, key = uuid4(), f"fund:f{len(self.scopes)}"
        # As the service does: the token names the scope that is made.
        with open_scope(tenant=self.firm.id, scopes=[*current_scope().scope_ids, ScopeId(made)], reason="a test"):
            Scope.objects.create(id=made, tenant_id=self.firm.id, key=key, name=key, parent=parent, created_at=self.now)
        self.scopes.append(made)

    def make_key(self) -> None:
        name = f"key{len(self.keys)}"
        key = ApiKey.objects.create(
            tenant_id=self.firm.id,
            name=name,
            prefix=name.ljust(12, "0"),
            secret_sha256="0" * 64,
            role=self.random.choice(list(Role)),
            created_at=self.now,
        )
        scope = self._any(Scope.objects.all())
        Grant.objects.create(tenant_id=self.firm.id, api_key=key, scope=scope, valid_from=self.now)
        self.keys.append(key)

    def end_key(self) -> None:
        found = self._any(ApiKey.objects.filter(revoked_at__isnull=True))
        if found is not None:
            ApiKey.objects.filter(id=found.id).update(revoked_at=self.now)

    def gate(self) -> dict[str, Any]:
        """Return what a request of each holder meets now, by the selectors that requests use."""
        found: dict[str, Any] = {}
        for user in self.users:
            try:
                found[user.username] = _may(user_principal(user, self.firm.id))
            except UnknownTenantError:
                found[user.username] = _NOTHING
        for key in self.keys:
            try:
                row = ApiKey.objects.get(id=key.id)
                found[key.name] = _NOTHING if row.revoked_at else _may(key_principal(row))
            except (InvalidKeyError, UnknownTenantError):
                found[key.name] = _NOTHING
        return found

    def _any(self, rows: Any) -> Any:
        found = sorted(rows, key=lambda row: str(row.pk))
        return self.random.choice(found) if found else None


_NOTHING: tuple[frozenset[ScopeId], frozenset[ScopeId]] = (frozenset(), frozenset())


def _may(principal: Principal) -> tuple[frozenset[ScopeId], frozenset[ScopeId]]:
    """Return the scopes in which the principal may ask, and in which it may open documents."""
    scopes = frozenset(principal.scope_ids)
    return tuple(  # type: ignore[return-value]
        scopes if principal.may(permission) else frozenset()
        for permission in (Permission.QUESTION_ASK, Permission.DOCUMENT_VIEW)
    )


@pytest.fixture
def story(request: pytest.FixtureRequest) -> Iterator[Story]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        policy = policy_in_force()
        assert policy.valid_from is not None
        yield Story(firm=firm, random=Random(request.param), now=policy.valid_from)


@pytest.mark.parametrize("story", range(12), indirect=True)
def test_at_each_instant_of_a_random_history_the_register_tells_what_the_gate_met(story: Story) -> None:
    story.begin()
    for _ in range(16):
        story.step()
    history = history_read()
    reckoner = Reckoner(history)
    compared = 0
    for at, met in story.met:
        for holder in history.holders:
            name = holder.subject.name if holder.subject.kind is PrincipalKind.USER else holder.subject.label
            cell = reckoner.cell_at(holder, at)
            told = (cell.asks, cell.opens) if cell else _NOTHING
            # A key that was not made yet is not among what the gate knew.
            assert told == met.get(name, _NOTHING), (name, at)
            compared += told != _NOTHING
    assert compared >= 10


def test_a_personal_key_reaches_what_its_requests_meet(acme: Firm) -> None:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "ann", Role.AUDITOR, scopes=["fund:beta"])
    wide, _ = make_personal_key(acme, "ann", role=Role.ANALYST, scopes=["fund:alpha"])
    with open_scope(tenant=acme.id, reason="a test"):
        for end in (None, Role.AUDITOR, Role.ANALYST):
            if end:
                membership_revoke(Membership.objects.get(role=end))
            history = history_read()
            holder = next(each for each in history.holders if each.subject.acts_for)
            cell = Reckoner(history).cell_at(holder, history.read_at)
            row = ApiKey.objects.get(id=wide.key_id)
            assert ((cell.asks, cell.opens) if cell else _NOTHING) == (
                _NOTHING if row.revoked_at else _may(key_principal(row))
            )
    assert cell is None


# --- Narrowed ---------------------------------------------------------------------------------------------------------


def test_everybody_is_listed_people_and_keys_with_what_they_may(acme: Firm, ada: Principal) -> None:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    make_key(acme, Role.ANALYST, scopes=["fund:beta"])
    found = asked(acme, ada)
    spans = {span.subject.label: span.cell for span in found.spans}
    assert set(spans) == {"ada", "ann", "analyst key"}
    assert (spans["ada"].asks, len(spans["ada"].opens)) == (frozenset(), 3)
    assert spans["ann"].asks == {acme.scopes["fund:alpha"].id}
    assert dict(spans["ann"].reaches)["performance"] == ("fund_profile", "run", "dataset_summary")
    assert summary(found).endswith(
        "2 people and 1 API key could reach documents of Acme: 1 person and 1 API key by questions, and 2 people and 1 "
        "API key by opening a document's page. Policy version 1 was in force."
    )


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ({"role": Role.AUDITOR}, ["ada"]),
        ({"role": Role.DPO}, []),
        ({"user": "lind, maria"}, ["mlind"]),
        ({"scope": "fund:beta"}, ["ada"]),
        ({"scope": "fund:alpha"}, ["ada", "mlind"]),
        ({"kind": "run"}, ["ada", "mlind"]),
    ],
)
def test_the_list_is_narrowed(acme: Firm, ada: Principal, question: dict[str, Any], names: list[str]) -> None:
    make_named(acme, "mlind", "Maria", "Lind")
    with open_scope(tenant=acme.id, reason="a test"):
        Grant.objects.filter(membership__user__username="mlind").update(valid_to=timezone.now())
        Grant.objects.create(
            tenant_id=acme.id,
            membership=Membership.objects.get(user__username="mlind"),
            scope=acme.scopes["fund:alpha"],
        )
    assert sorted(who(asked(acme, ada, **question))) == names


def test_by_kind_only_its_intents_are_told(acme: Firm, ada: Principal) -> None:
    make_member(acme, "ann", Role.ANALYST)
    (cell,) = (span.cell for span in asked(acme, ada, kind="run", user="ann").spans)
    assert cell.reaches == (("performance", ("run",)), ("attribution", ("run",)))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({}, ", ann could reach documents of Acme by questions and by opening a document's page. Policy version 1 was"),
        (
            {"role": Role.DPO},
            ", ann could not reach documents of Acme as Data protection officer. Policy version 1 was",
        ),
        ({"scope": "fund:beta"}, ", ann could not reach documents of Acme, in the scope fund:beta. Policy"),
    ],
)
def test_of_one_person_the_sentence_tells_by_which_ways(
    acme: Firm, ada: Principal, question: dict[str, Any], told: str
) -> None:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    assert told in summary(asked(acme, ada, user="ann", **question))


def test_a_scope_that_the_asker_may_not_see_is_counted_and_not_named(acme: Firm) -> None:
    make_member(acme, "ann", Role.ANALYST)
    half = make_member(acme, "half", Role.AUDITOR, scopes=["fund:alpha"])
    found = asked(acme, half, user="ann")
    with as_(half):
        (row,) = register_json(found, first=0, limit=10)["rows"]
    assert row["asks"] == {"scopes": ["fund:alpha"], "hidden": 2}
    assert "2 of the scopes that could be reached you may not see" in " ".join(notes(found))
    with pytest.raises(RegisterQuestionError):
        asked(acme, half, scope="fund:beta")


def test_a_document_is_reached_by_who_reaches_its_scope_and_kind_while_it_was_there(acme: Firm, ada: Principal) -> None:
    before = timezone.now()
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "ben", Role.ANALYST, scopes=["fund:beta"])
    job = ingest(acme, REPORT, title="Alpha, fourth quarter", scope="fund:alpha").job
    run(acme, job)
    found = asked(acme, ada, document="fourth quarter")
    assert who(found) == ["ada", "ann"]
    assert [bool(span.cell.asks) for span in found.spans] == [False, True]
    assert "“Alpha, fourth quarter”" in summary(found)
    assert who(asked(acme, ada, document=str(job.document_id), since=before)) == []


# --- Over time --------------------------------------------------------------------------------------------------------


def test_a_range_tells_from_when_to_when(acme: Firm, ada: Principal) -> None:
    made = make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    begun = timezone.now()
    with open_scope(tenant=acme.id, reason="a test"):
        (membership,) = Membership.objects.filter(user_id=made.id)
        membership_revoke(membership)
        membership.refresh_from_db()
        (grant,) = Grant.objects.filter(membership=membership)
    (span,) = asked(acme, ada, mode=Mode.RANGE, since=acme.tenant.created_at, until=timezone.now(), user="ann").spans
    # The grant was given a moment after the membership began, and ended a moment after it.
    assert (span.since, span.until) == (grant.valid_from, membership.revoked_at)
    assert begun <= membership.revoked_at


def test_changes_tell_who_gained_and_lost_and_what_the_policy_changed(acme: Firm, ada: Principal) -> None:
    gone = make_member(acme, "gone", Role.ANALYST, scopes=["fund:alpha"])
    before = timezone.now()
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get(user_id=gone.id))
        second_version()
    after = timezone.now()
    found = asked(acme, ada, mode=Mode.CHANGES, since=before, until=after)
    (change,) = found.changes
    assert (change.subject.name, change.before is not None, change.after) == ("gone", True, None)
    assert found.policy_changes == ()
    assert [version.snapshot.number for version in found.versions] == [1, 2]


# --- Never of a guess -------------------------------------------------------------------------------------------------


def test_a_name_of_several_or_of_nobody_states_nothing(acme: Firm, ada: Principal) -> None:
    make_named(acme, "m1", "Maria", "Lind")
    make_named(acme, "m2", "Maria", "Lind")
    make_named(make_firm("bolt"), "m3", "Maria", "Lind")
    with pytest.raises(AmbiguousNameError) as several:
        asked(acme, ada, user="Maria Lind")
    assert [each.name for each in several.value.data["candidates"]] == ["m1", "m2"]
    with pytest.raises(NameNotKnownError) as nobody:
        asked(acme, ada, user="Maria Lindt")
    assert [each.name for each in nobody.value.data["candidates"]] == ["m1", "m2"]


def test_a_title_of_several_documents_states_nothing(acme: Firm, ada: Principal) -> None:
    for title in ("Alpha, third quarter", "Alpha, fourth quarter"):
        ingest(acme, REPORT + title.encode(), title=title)
    with pytest.raises(AmbiguousDocumentError) as several:
        asked(acme, ada, document="alpha")
    assert [each.title for each in several.value.data["documents"]] == ["Alpha, fourth quarter", "Alpha, third quarter"]


@pytest.mark.parametrize(
    ("question", "code", "wrong"),
    [
        ({"since": timedelta(hours=1)}, "in_the_future", "since"),
        ({"since": timedelta(days=-900)}, "before_the_tenant", "since"),
        ({"mode": Mode.RANGE}, "end_missing", "until"),
        ({"mode": Mode.CHANGES, "since": timedelta(0), "until": timedelta(seconds=-1)}, "reversed", "until"),
        ({"kind": "nonsense"}, "unknown_kind", "kind"),
        ({"scope": "fund:gamma"}, "unknown_scope", "scope"),
        ({"document": "nothing of the sort"}, "unknown_document", "document"),
        ({"document": "00000000-0000-7000-8000-000000000000"}, "unknown_document", "document"),
    ],
)
def test_a_question_that_names_nothing_gets_an_error_in_its_place(
    acme: Firm, ada: Principal, question: dict[str, Any], code: str, wrong: str
) -> None:
    now = timezone.now()
    said = {name: now + value if isinstance(value, timedelta) else value for name, value in question.items()}
    with pytest.raises(RegisterQuestionError) as refused:
        asked(acme, ada, **said)
    assert (refused.value.code, refused.value.data["field"]) == (f"intents.register_{code}", wrong)


def test_only_who_reads_the_log_may_ask(acme: Firm) -> None:
    with pytest.raises(PermissionDeniedError):
        asked(acme, make_member(acme, "ann", Role.ANALYST))


def test_the_question_is_recorded_with_the_head_of_the_log_and_no_typed_word(acme: Firm, ada: Principal) -> None:
    make_named(acme, "mlind", "Maria", "Lind")
    found = asked(acme, ada, user="maria LIND", kind="run")
    with open_scope(tenant=acme.id, reason="a test"):
        core = Event.objects.get(action="intents.access.listed").payload["core"]
        sha256 = policy_sha256(policy_in_force())
    assert (core["user_id"], core["kind"], core["rows"]) == (str(found.spans[0].subject.id), "run", 1)
    assert (core["log_size"], core["log_root"]) == (found.history.log_size, found.history.log_root)
    assert "LIND" not in json.dumps(core)
    assert [version.sha256 for version in found.versions] == [sha256]


# --- Files and programs -----------------------------------------------------------------------------------------------


def rows_of(content: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(content))
    assert tuple(reader.fieldnames or ()) == COLUMNS
    return list(reader)


def test_the_csv_is_no_formula_and_names_policy_and_log(acme: Firm, ada: Principal) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        api_key_create(name='=HYPERLINK("http://x")', role=Role.ANALYST, scopes=[acme.scopes["fund:alpha"]])
    with open_scope(tenant=acme.id, principal=ada):
        register = register_ask(Asked(role=Role.ANALYST), form=Form.CSV)
        parts = register_csv(register)
    rows = rows_of(b"".join(parts).decode())
    assert {row["who"][:2] for row in rows} == {"'="}
    assert [(row["way"], row["scope"]) for row in rows] == [("question", "fund:alpha"), ("opening", "fund:alpha")]
    assert {(row["policy_versions"], len(row["policy_sha256"])) for row in rows} == {("1", 64)}
    assert {row["log_root"] for row in rows} == {register.history.log_root}


def test_a_csv_of_nobody_says_so(acme: Firm, ada: Principal) -> None:
    with open_scope(tenant=acme.id, principal=ada):
        parts = register_csv(register_ask(Asked(role=Role.DPO), form=Form.CSV))
    assert [row["who"] for row in rows_of(b"".join(parts).decode())] == ["nobody"]


def test_whoever_loses_the_right_meanwhile_gets_no_further_part(acme: Firm, ada: Principal) -> None:
    with open_scope(tenant=acme.id, principal=ada):
        parts = register_csv(register_ask(Asked(), form=Form.CSV))
    assert next(parts).startswith(b"change,who")
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get(user_id=ada.id))
    with pytest.raises(UnknownTenantError):
        next(parts)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(action="intents.access.list_cut_short").count() == 1


def test_the_api_lists_in_pages_and_puts_errors_to_their_fields(acme: Firm) -> None:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    auditor = Api(make_key(acme, Role.AUDITOR)[1])
    found = auditor.get(ADDRESS, {"kind": "run", "scope": "fund:alpha"}).json()
    assert [(row["name"], row["asks"]["scopes"]) for row in found["rows"] if row["asks"]["scopes"]] == [
        ("ann", ["fund:alpha"])
    ]
    assert (found["total"], found["next"], found["policies"][0]["version"]) == (2, None, 1)
    assert (
        auditor.get(ADDRESS, {"first": "1", "kind": "run", "scope": "fund:alpha"}).json()["rows"] == found["rows"][1:]
    )
    assert list(auditor.get(ADDRESS, {"mode": "range"}).json()["errors"]) == ["until"]
    assert auditor.get(ADDRESS, {"user": "nobody at all"}).json()["code"] == "intents.name_not_known"
    assert auditor.get(ADDRESS, {"scope": "fund:gamma"}).status_code == 404
    changed = auditor.get(ADDRESS, {"mode": "changes", "date": acme.tenant.created_at.isoformat(), "until": _now()})
    assert {each["name"] for each in changed.json()["changes"]} >= {"ann"}
    ann = Api(make_key(acme, Role.ANALYST)[1])
    assert ann.get(ADDRESS).status_code == 403


def _now() -> str:
    return datetime.now(UTC).isoformat()


def test_the_command_lists_and_names_the_candidates(acme: Firm, capsys: pytest.CaptureFixture[str]) -> None:
    make_named(acme, "m1", "Maria", "Lind")
    make_named(acme, "m2", "Maria", "Lind")
    call_command("policy", "reach", "--tenant", "acme", "--kind", "run")
    assert "2 people could reach documents of the kind Past runs of Acme" in capsys.readouterr().out
    call_command("policy", "reach", "--tenant", "acme", "--csv")
    assert len(rows_of(capsys.readouterr().out)) == 12
    with pytest.raises(CommandError, match=r"Maria Lind \(m1\), Analyst"):
        call_command("policy", "reach", "--tenant", "acme", "--user", "Maria Lind")
