"""Who could reach what, when: the past is answered from memberships, grants, keys, scopes and versions as they were."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.audit.models import Event
from apps.corpus.kinds import Kind
from apps.intents.access import AccessAnswer, Verdict, access_ask, access_json
from apps.intents.access.reach import intent_reaches
from apps.intents.access.words import instant, listed, validity
from apps.intents.baseline import baseline_snapshot
from apps.intents.fund_house import FundHouse
from apps.intents.management import policy_at
from apps.intents.models import KindBudget, VersionStatus
from apps.intents.selectors import policy_in_force
from apps.intents.services.versions import policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import ApiKey, Grant, Membership, Tenant, User
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.services.api_keys import api_key_create, api_key_revoke
from apps.tenants.services.members import grants_set, membership_grant, membership_revoke
from apps.tenants.services.tenants import scope_create
from tests.factories import Firm, make_firm, make_key, make_member, make_user
from tests.intents.steps import acting, draft, step
from tests.intents.test_selectors import second_version

pytestmark = pytest.mark.django_db

Clock = Callable[[timedelta], datetime]
DAY = timedelta(days=1)


@pytest.fixture
def days(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Set the application's clock to so long after the firm was made; tokens and the database keep their own.

    What begins does so by the database's: such a beginning is read from its row.
    """
    begun = datetime.now(UTC)

    def set_to(after: timedelta) -> datetime:
        at = begun + after
        monkeypatch.setattr("django.utils.timezone.now", lambda: at)
        return at

    return set_to


def asked(firm: Firm, *, principal: Principal | None = None, **question: Any) -> AccessAnswer:
    with open_scope(tenant=firm.id, principal=principal, reason="" if principal else "a test"):
        return access_ask(**question)


def kinds(answer: AccessAnswer) -> dict[str, set[Kind]]:
    return {each.name: set(each.kinds) for each in answer.intents}


def keys(answer: AccessAnswer) -> list[str]:
    return [scope.key for scope in answer.scopes]


def give(firm: Firm, username: str, role: Role, *scopes: str) -> Membership:
    user = User.objects.get_by_natural_key(username)
    with open_scope(tenant=firm.id, reason="a test"):
        return membership_grant(user=user, role=role, scopes=[firm.scopes[key] for key in scopes])


def revoke(firm: Firm, membership: Membership) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        membership_revoke(membership)


# --- What could be reached ------------------------------------------------------------------------------------------


def test_an_analyst_reaches_the_kinds_of_each_intent_in_the_granted_scopes(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    answer = asked(acme, user="alice")
    baseline = baseline_snapshot()
    assert answer.verdict is Verdict.COULD_REACH
    assert kinds(answer) == {
        **{rule.name: set(rule.kinds) for rule in baseline.intents},
        "unrecognised": set(baseline.fallback.kinds),
    }
    assert keys(answer) == ["fund:alpha"]


def test_one_intent_alone_is_answered_by_one_sentence(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    answer = asked(acme, user="alice", intent="performance")
    assert answer.sentence.startswith(f"On {instant(answer.at)}, alice, as Analyst since ")
    assert (
        "could reach in Acme, within the scope fund:alpha, the kinds Fund profiles, Past runs and Dataset summaries "
        "with a question of the intent Performance, while policy version 1 was in force (since "
    ) in answer.sentence
    assert answer.sentence.endswith("; the shipped baseline, which needs no approval).")
    assert [each.name for each in answer.intents] == ["performance"]


def test_what_an_unrecognised_question_reaches_can_be_asked_by_itself(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    answer = asked(acme, user="alice", intent="unrecognised")
    assert kinds(answer) == {"unrecognised": {FundHouse.ORG_PROFILE}}
    assert "the kind Firm profiles with an unrecognised question, while" in answer.sentence


def test_a_grant_reaches_the_scopes_below_that_existed_then(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    before = timezone.now()
    with open_scope(tenant=acme.id, reason="a test"):
        scope_create(key="fund:gamma", name="Gamma", parent=acme.root)
    after = timezone.now()
    assert keys(asked(acme, user="alice", at=before)) == ["firm:acme", "fund:alpha", "fund:beta"]
    assert keys(asked(acme, user="alice", at=after)) == ["firm:acme", "fund:alpha", "fund:beta", "fund:gamma"]


def test_a_scope_is_reached_from_its_grant_up_to_its_end(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    with open_scope(tenant=acme.id, reason="a test"):
        membership = Membership.objects.get()
        grants_set(membership=membership, scopes=[acme.scopes["fund:beta"]], keep=True)
        grants_set(membership=membership, scopes=[acme.scopes["fund:alpha"]])
        grant = Grant.objects.get(scope=acme.scopes["fund:beta"])
    given, ended = grant.valid_from, grant.valid_to
    assert ended is not None
    moment = timedelta(microseconds=1)
    found = [keys(asked(acme, user="alice", at=at)) for at in (given - moment, given, ended - moment, ended)]
    both = ["fund:alpha", "fund:beta"]
    assert found == [["fund:alpha"], both, both, ["fund:alpha"]]


def test_the_version_of_that_instant_decides_the_kinds(acme: Firm, days: Clock) -> None:
    make_member(acme, "carol", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        alice, bob = make_user("alice"), make_user("bob")
        narrower = draft(author=alice)
        with acting(alice):
            narrower.intents.get(name="performance").kinds.filter(kind=FundHouse.RUN).delete()
            step(narrower, status=VersionStatus.IN_REVIEW)
        with acting(bob, Role.REVIEWER):
            step(
                narrower,
                status=VersionStatus.APPROVED,
                approver=bob,
                approver_label="bob",
                effective_from=narrower.created_at,
            )
        changed = policy_version_activate(narrower).valid_from
    assert changed is not None
    days(DAY)
    before = asked(acme, user="carol", at=changed - timedelta(microseconds=1), intent="performance")
    since = asked(acme, user="carol", at=changed, intent="performance")
    assert kinds(before) == {"performance": {FundHouse.RUN, FundHouse.FUND_PROFILE, FundHouse.DATASET_SUMMARY}}
    assert kinds(since) == {"performance": {FundHouse.FUND_PROFILE, FundHouse.DATASET_SUMMARY}}
    assert [before.policy and before.policy.number, since.policy and since.policy.number] == [1, 2]
    assert f"policy version 1 was in force (from {instant(before.policy.valid_from)} until" in before.sentence  # type: ignore[union-attr,arg-type]
    assert since.sentence.endswith("written by alice; approved by bob).")


def test_a_kind_without_a_budget_is_not_reached_as_the_gate_has_it(acme: Firm, days: Clock) -> None:
    make_member(acme, "carol", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        second = second_version()
        assert KindBudget.objects.filter(version=second, kind=FundHouse.RUN).exists()
        snapshot = policy_in_force()
    without = type(snapshot)(
        **{name: getattr(snapshot, name) for name in snapshot.__dataclass_fields__ if name != "budgets"},
        budgets=tuple(budget for budget in snapshot.budgets if budget.kind != FundHouse.RUN),
    )
    assert FundHouse.RUN not in next(each for each in intent_reaches(without) if each.name == "performance").kinds


def test_several_memberships_add_up_and_are_all_named(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    give(acme, "alice", Role.AUDITOR, "fund:beta")
    answer = asked(acme, user="alice")
    assert keys(answer) == ["fund:alpha", "fund:beta"]
    assert [each.holding.role for each in answer.granted_by] == [Role.ANALYST, Role.AUDITOR]
    assert " and Auditor since " in answer.sentence


@pytest.mark.parametrize("role", Role)
def test_the_answer_of_now_is_what_a_question_of_now_would_get(acme: Firm, role: Role) -> None:
    principal = make_member(acme, "alice", role, scopes=["fund:alpha"])
    give(acme, "alice", Role.DPO, "fund:beta")
    principal = user_principal(User.objects.get_by_natural_key("alice"), acme.id)
    answer = asked(acme, user="alice")
    may_ask = any(permission == "question.ask" for permission in principal.permissions)
    assert (answer.verdict is Verdict.COULD_REACH) == may_ask
    assert {scope.id for scope in answer.scopes} == (principal.scope_ids if may_ask else set())


def test_an_api_key_is_answered_like_a_person(acme: Firm) -> None:
    make_key(acme, Role.ANALYST, scopes=["fund:beta"])
    with open_scope(tenant=acme.id, reason="a test"):
        key = ApiKey.objects.get()
    answer = asked(acme, key=key.prefix)
    assert (answer.verdict, answer.subject.id, keys(answer)) == (Verdict.COULD_REACH, key.id, ["fund:beta"])
    assert f"the API key analyst key (gbx_{key.prefix}), as Analyst since" in answer.sentence


# --- Nothing could be reached ---------------------------------------------------------------------------------------


def test_a_membership_that_ended_no_longer_reaches_anything(acme: Firm, days: Clock) -> None:
    make_member(acme, "alice", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        membership = Membership.objects.get()
    ended = days(DAY)
    revoke(acme, membership)
    days(2 * DAY)
    before, after = (asked(acme, user="alice", at=at) for at in (ended - timedelta(microseconds=1), ended))
    assert (before.verdict, after.verdict) == (Verdict.COULD_REACH, Verdict.NOT_VALID)
    assert f"no membership was valid then, only as Analyst from {instant(membership.created_at)}" in after.sentence
    assert (after.scopes, after.intents[0].kinds) == ((), ())


def test_between_two_memberships_nothing_was_reached(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        membership = Membership.objects.get()
    revoke(acme, membership)
    gap = timezone.now()
    give(acme, "alice", Role.ANALYST, "fund:beta")
    again = timezone.now()
    assert asked(acme, user="alice", at=gap).verdict is Verdict.NOT_VALID
    assert keys(asked(acme, user="alice", at=again)) == ["fund:beta"]


def test_a_role_without_questions_reaches_no_kind(acme: Firm) -> None:
    make_member(acme, "dora", Role.AUDITOR)
    answer = asked(acme, user="dora")
    assert answer.verdict is Verdict.MAY_NOT_ASK
    assert not any(each.kinds for each in answer.intents)
    assert "could reach nothing in Acme because that role does not allow questions, while policy" in answer.sentence


def test_a_member_without_a_scope_reaches_nothing(acme: Firm) -> None:
    make_user("alice")
    give(acme, "alice", Role.ANALYST)
    answer = asked(acme, user="alice")
    assert (answer.verdict, answer.scopes) == (Verdict.NO_SCOPE, ())
    assert "could reach nothing in Acme because no scope was granted" in answer.sentence


def test_an_intent_that_the_policy_did_not_have_is_said_to_be_none(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    answer = asked(acme, user="alice", intent="gossip")
    assert (answer.verdict, answer.intents) == (Verdict.UNKNOWN_INTENT, ())
    assert "could reach nothing by an intent “gossip”" in answer.sentence


def test_before_the_tenant_nobody_reached_anything(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    answer = asked(acme, user="alice", at=datetime(2001, 1, 1, tzinfo=UTC))
    assert answer.verdict is Verdict.BEFORE_THE_TENANT
    assert answer.sentence == (
        "On 1 January 2001 at 00:00 UTC nobody could reach anything in Acme, which was created on "
        f"{instant(acme.tenant.created_at)}."
    )


def test_the_future_has_no_answer(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    answer = asked(acme, user="alice", at=datetime.now(UTC) + DAY)
    assert (answer.verdict, answer.policy, answer.granted_by) == (Verdict.IN_THE_FUTURE, None, ())
    assert "is in the future" in answer.sentence


@pytest.mark.parametrize("who", ["nobody-at-all", "a-member-elsewhere", "an-account-without-a-tenant"])
def test_whether_there_is_an_account_elsewhere_is_not_told(acme: Firm, who: str) -> None:
    make_member(make_firm("bolt"), "a-member-elsewhere", Role.ANALYST)
    make_user("an-account-without-a-tenant")
    answer = asked(acme, user=who)
    assert (answer.verdict, answer.subject.id, answer.subject.label) == (Verdict.NOT_KNOWN, None, who)
    assert answer.sentence == f"No member of Acme, past or present, has the name “{who}”, so there is no answer."
    assert (answer.granted_by, answer.notes, answer.suggestions) == ((), (), ())


def test_a_key_of_another_tenant_is_not_known(acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_key(bolt)
    with open_scope(tenant=bolt.id, reason="a test"):
        prefix = ApiKey.objects.get().prefix
    answer = asked(acme, key=prefix)
    assert answer.verdict is Verdict.NOT_KNOWN
    assert answer.sentence == f"No API key of Acme has the prefix “gbx_{prefix}”, so there is no answer."


def test_a_key_is_valid_up_to_its_expiry_or_revocation(acme: Firm, days: Clock) -> None:
    expires = days(2 * DAY)
    days(timedelta(hours=1))
    with open_scope(tenant=acme.id, reason="a test"):
        expiring, _ = api_key_create(name="portal", role=Role.ANALYST, scopes=[acme.root], expires_at=expires)
        revoked, _ = api_key_create(name="script", role=Role.ANALYST, scopes=[acme.root], expires_at=expires)
        ended = days(DAY)
        api_key_revoke(revoked)
    days(3 * DAY)
    moment = timedelta(microseconds=1)
    valid = [asked(acme, key=expiring.prefix, at=at).verdict for at in (expires - moment, expires)]
    assert valid == [Verdict.COULD_REACH, Verdict.NOT_VALID]
    valid = [asked(acme, key=revoked.prefix, at=at).verdict for at in (ended - moment, ended)]
    assert valid == [Verdict.COULD_REACH, Verdict.NOT_VALID]
    assert "the key was not valid then, but from" in asked(acme, key=expiring.prefix, at=expires).sentence


# --- What the facts do not tell -------------------------------------------------------------------------------------


def test_what_is_not_kept_with_dates_is_said(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    assert any("a deactivation of the account and a suspension" in note for note in asked(acme, user="alice").notes)


def test_a_deactivated_account_and_a_suspended_tenant_are_said_to_be_so_today(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    alice = User.objects.get_by_natural_key("alice")
    alice.is_active = False
    alice.save(update_fields=["is_active"])
    with open_scope(tenant=acme.id, reason="a test"):
        Tenant.objects.update(status=TenantStatus.SUSPENDED)
    assert asked(acme, user="alice").notes[-2:] == (
        "The account is deactivated today; the date of that is not kept.",
        "The tenant is suspended today; the date of that is not kept.",
    )


# --- Who may ask, and what they see ---------------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role)
def test_everybody_may_ask_about_themselves(acme: Firm, role: Role) -> None:
    alice = make_member(acme, "alice", role)
    assert asked(acme, principal=alice).subject.id == asked(acme, principal=alice, user="alice").subject.id == alice.id


@pytest.mark.parametrize("name", ["bob", "nobody"])
@pytest.mark.parametrize("role", [Role.ANALYST, Role.TENANT_ADMIN])
def test_about_others_only_who_may_read_the_audit_log(acme: Firm, role: Role, name: str) -> None:
    make_member(acme, "bob", Role.ANALYST)
    with pytest.raises(PermissionDeniedError):
        asked(acme, principal=make_member(acme, "alice", role), user=name)


def test_a_key_asks_about_itself(acme: Firm) -> None:
    principal, _ = make_key(acme, Role.ANALYST)
    answer = asked(acme, principal=principal)
    assert (answer.subject.id, answer.verdict) == (principal.id, Verdict.COULD_REACH)
    assert asked(acme, principal=principal, key=answer.subject.name.removeprefix("gbx_")).subject.id == principal.id


def test_scopes_that_the_asker_may_not_see_are_counted_and_not_named(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        grants_set(membership=Membership.objects.get(), scopes=[acme.scopes["fund:alpha"]], keep=True)
    dora = make_member(acme, "dora", Role.AUDITOR, scopes=["fund:alpha"])
    answer = asked(acme, principal=dora, user="alice")
    assert (keys(answer), answer.hidden_scopes) == (["fund:alpha"], 2)
    assert "in Acme, within the scopes fund:alpha and 2 more that you may not see, the kinds" in answer.sentence
    (granted,) = answer.granted_by
    assert ([grant.scope.key for grant in granted.grants], granted.hidden_grants) == (["fund:alpha"], 1)
    said = json.dumps(access_json(answer))
    assert not any(hidden in said for key in ("firm:acme", "fund:beta") for hidden in (key, str(acme.scopes[key].id)))


def test_asking_is_recorded_without_the_name_that_was_typed(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    dora = make_member(acme, "dora", Role.AUDITOR)
    answer = asked(acme, principal=dora, user="alice", intent="performance")
    asked(acme, principal=dora, user="charlie", intent="gossip")
    with open_scope(tenant=acme.id, reason="a test"):
        known, unknown = Event.objects.filter(action="intents.access.asked").order_by("occurred_at")
        assert (known.actor_id, known.subject_type, known.subject_id) == (dora.id, "user", answer.subject.id)
        assert known.payload["core"] == {
            "asked_about": "user",
            "user_id": str(answer.subject.id),
            "api_key_id": None,
            "instant": answer.at.isoformat(),
            "intent": "performance",
            "verdict": "could_reach",
            "policy_version": 1,
        }
        assert (unknown.subject_id, unknown.payload["core"]["user_id"]) == (None, None)
        assert not any(typed in json.dumps(unknown.payload) for typed in ("charlie", "gossip"))


def test_an_answer_costs_a_handful_of_queries_however_long_the_history(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    asked(acme, user="alice")

    def queries() -> int:
        with (
            open_scope(tenant=acme.id, reason="a test"),
            CaptureQueriesContext(
                connection,
            ) as captured,
        ):
            access_ask(user="alice")
        # Not the statements that open the directory, nor savepoints.
        reads = [each["sql"] for each in captured if each["sql"].startswith(("SELECT", "INSERT", "DECLARE"))]
        return len([sql for sql in reads if "set_config" not in sql and "current_setting" not in sql])

    before = queries()
    with open_scope(tenant=acme.id, reason="a test"):
        membership = Membership.objects.get(user_id=User.objects.get_by_natural_key("alice").id)
        for _ in range(5):
            grants_set(membership=membership, scopes=[acme.scopes["fund:alpha"]])
            grants_set(membership=membership, scopes=[acme.scopes["fund:beta"]])
        assert Grant.objects.count() > 10
    assert queries() == before == 7


# --- Words ----------------------------------------------------------------------------------------------------------


def test_times_are_told_to_the_second_where_there_are_any() -> None:
    assert instant(datetime(2026, 1, 5, 9, 0, tzinfo=UTC)) == "5 January 2026 at 09:00 UTC"
    assert instant(datetime(2026, 1, 5, 9, 0, 7, tzinfo=UTC)) == "5 January 2026 at 09:00:07 UTC"


def test_a_validity_without_an_end_is_told_as_since() -> None:
    start = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    assert validity(start, None) == "since 5 January 2026 at 09:00 UTC"
    assert validity(start, start + DAY) == "from 5 January 2026 at 09:00 UTC until 6 January 2026 at 09:00 UTC"


@pytest.mark.parametrize(("words", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ("abc", "a, b and c")])
def test_lists_are_told_with_an_and(words: list[str], text: str) -> None:
    assert listed(words) == text


def test_many_scopes_are_counted_in_the_sentence_and_all_listed(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        for number in range(10):
            scope_create(key=f"fund:n{number}", name="N", parent=acme.root)
    answer = asked(acme, user="alice")
    assert len(answer.scopes) == 13
    assert "fund:n4 and 5 more that are listed with this answer, the kinds" in answer.sentence


# --- The command ----------------------------------------------------------------------------------------------------


def at_command(*arguments: str) -> str:
    command = BaseCommand(stdout=StringIO())
    parser = CommandParser()
    policy_at.add_arguments(parser)
    policy_at.run(command, vars(parser.parse_args(arguments)))
    return str(command.stdout.getvalue())


def test_the_command_prints_the_sentence_and_its_parts(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    output = at_command("--tenant", "acme", "--user", "alice")
    assert "alice, as Analyst since" in " ".join(output.split())
    assert all(part in output for part in ("performance", "run", "fund:alpha", "membership"))


def test_the_command_prints_json(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    found = json.loads(at_command("--tenant", "acme", "--user", "alice", "--intent", "performance", "--json"))
    assert (found["verdict"], found["intents"][0]["kinds"]) == (
        "could_reach",
        ["fund_profile", "run", "dataset_summary"],
    )


def test_a_date_without_a_zone_is_utc(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    output = at_command("--tenant", "acme", "--user", "alice", "--date", "2001-01-31T12:00")
    assert "On 31 January 2001 at 12:00 UTC nobody could reach anything in Acme" in " ".join(output.split())


def test_the_command_takes_a_key_by_its_prefix_with_or_without_its_mark(acme: Firm) -> None:
    make_key(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        prefix = ApiKey.objects.get().prefix
    outputs = [
        json.loads(at_command("--tenant", "acme", "--key", each, "--json")) for each in (prefix, f"gbx_{prefix}")
    ]
    assert {output["subject"]["name"] for output in outputs} == {f"gbx_{prefix}"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--user", "alice", "--date", "soon"), "--date 'soon' is not a time"),
        (("--key", "gbx_0123456789ab_secret"), "never the whole key"),
        (("--user", "alice", "--intent", "What is it?"), "is not an intent's name"),
    ],
)
def test_the_command_says_what_is_wrong(acme: Firm, arguments: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(CommandError, match=complaint):
        at_command("--tenant", "acme", *arguments)


def test_the_command_knows_no_other_tenant(acme: Firm) -> None:
    with pytest.raises(CommandError, match="There is no tenant 'nowhere'"):
        at_command("--tenant", "nowhere", "--user", "alice")
