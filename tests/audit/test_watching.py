"""What must not go unnoticed is red on health, on the start page and in the operators' mail, whatever rows claim."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.conf import settings as configured
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from apps.audit.errors import DataKeyDamagedError
from apps.audit.keys import data_keys
from apps.audit.models import Verification, VerificationState
from apps.audit.verify.requests import verifications_request_due
from apps.audit.verify.standing import Verdict, standing
from apps.audit.verify.statements import newest, state_verification, stated
from apps.erasure import watching as removals
from apps.erasure.models import RemovalRun
from apps.tenants import alarm_mail, clock
from apps.tenants.alarm_mail import tell_operators
from apps.tenants.alarms import Seen
from apps.tenants.api import probes
from apps.tenants.context import open_scope
from apps.tenants.leased_jobs import sweep_kind
from apps.tenants.principals import Principal
from apps.tenants.registry import Alarm, Watch, Watched
from apps.tenants.roles import Role
from apps.tenants.sweeping import Sweep, failing
from tests.api.client import Api
from tests.audit.acting import as_worker, checkpointed, sealed
from tests.audit.mutations import acting_as
from tests.audit.removing import again, approved, documents, stores_of_documents
from tests.audit.verifying import as_of, run, tampering, verified
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
ALL = "/api/v1/health/"


@pytest.fixture(autouse=True)
def _fresh(own_cache: None, settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path)
    settings.GLASSBOX_OPERATORS = ("ops@example.com",)
    monkeypatch.setattr(probes, "WORKER_TIMEOUT_S", 0.05)
    # Told in the test's own process and moment, not beside it.
    monkeypatch.setattr("apps.tenants.api.health.tell_operators_beside", lambda alarms: None)
    data_keys.cache.clear()
    alarm_mail._told_here.clear()
    monkeypatch.setattr(alarm_mail, "_BEGAN", time.monotonic() - 3_600)
    the_clock_goes()
    probes._health.cache_clear()
    yield
    probes._health.cache_clear()


def the_clock_goes() -> None:
    """As if every task of the schedule had just ended well."""
    for entry in configured.CELERY_BEAT_SCHEDULE.values():
        clock.note(entry["task"])
    clock.note(clock.BEAT)
    clock.note(clock.WATCHDOG)


@pytest.fixture
def acme() -> Firm:
    firm = baked(make_firm, "acme")
    # What the clock noted lies in the cache, which a baked world empties.
    the_clock_goes()
    sealed(firm, 3)
    checkpointed(firm)
    return firm


@pytest.fixture
def ada(acme: Firm) -> Principal:
    return make_member(acme, "ada", Role.AUDITOR)


def seen() -> Seen:
    found = probes.seen_now()
    assert found is not None
    return found


def red() -> set[str]:
    """Which of what is watched is red on health."""
    probes._health.cache_clear()
    checks = Api().get(ALL).json()["checks"]
    return {part for part in (each.value for each in Watched) if checks[part] == "failed"}


def on_the_start_page(username: str) -> list[str]:
    tree = Visitor(username).open("index").tree
    return [str(each) for each in tree.xpath("//*[@data-alarm]/@data-alarm")]


def made_long_ago() -> None:
    with tampering() as connection:
        connection.execute("UPDATE tenants_tenant SET created_at = created_at - interval '40 days'")


def swept() -> int:
    with as_worker():
        return verifications_request_due() + sweep_kind(Verification)


def of_clock(firm: Firm) -> list[Verification]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Verification.objects.filter(night__isnull=False).order_by("id"))


# --- Verifications ----------------------------------------------------------------------------------------------------


def test_one_tenants_damaged_key_keeps_no_other_from_its_night(acme: Firm) -> None:
    bolt = make_firm("bolt")
    made_long_ago()
    with tampering() as connection:
        connection.execute(
            "UPDATE audit_datakey SET wrapped_key = '\\x00' || wrapped_key WHERE tenant_id = %s", [acme.id]
        )
    data_keys.cache.clear()
    with pytest.raises(DataKeyDamagedError), open_scope(tenant=acme.id, reason="a test"):
        data_keys.current_data_key(acme.id, timezone.now())
    assert swept() == 1
    (asked,) = of_clock(bolt)
    run(asked)
    assert failing() == {Sweep.VERIFY: [str(acme.id)]}
    assert {alarm.tenant_id for alarm in seen().alarms if alarm.watched is Watched.VERIFICATION} == {acme.id}
    assert red() == {"verification", "schedule"}


@pytest.mark.parametrize(
    "spoilt",
    [
        "UPDATE tenants_tenant SET status = 'suspended'",
        "UPDATE tenants_tenant SET created_at = '2116-01-01'",
        # A night row that says it ended well, of this night and of nights to come.
        "INSERT INTO audit_verification (id, tenant_id, night, requested_at, state, finished_at, done, total, "
        "lease_owner, attempts, events, leaves, groups, finding_count, findings, error_code) "
        "SELECT uuidv7(), id, (now() AT TIME ZONE 'UTC' - interval '2 hours')::date + n, '2116-01-01', 'intact', "
        "'2116-01-01', 0, 0, '', 0, 0, 0, 0, 0, '{}', '' FROM tenants_tenant, generate_series(0, 40) n",
        # One that waits until then, or is held until then.
        "INSERT INTO audit_verification (id, tenant_id, night, state, next_attempt_at, lease_until, done, total, "
        "lease_owner, attempts, events, leaves, groups, finding_count, findings, error_code) "
        "SELECT uuidv7(), id, '2026-01-01', 'waiting', '2116-01-01', NULL, 0, 0, '', 0, 0, 0, 0, 0, '{}', '' "
        "FROM tenants_tenant",
        "INSERT INTO audit_verification (id, tenant_id, night, state, next_attempt_at, lease_until, done, total, "
        "lease_owner, attempts, events, leaves, groups, finding_count, findings, error_code) "
        "SELECT uuidv7(), id, '2026-01-01', 'running', NULL, '2116-01-01', 0, 0, 'x', 0, 0, 0, 0, 0, '{}', '' "
        "FROM tenants_tenant",
    ],
    ids=["suspended", "made in 2116", "forged nights", "waits until 2116", "held until 2116"],
)
def test_nothing_in_a_row_keeps_the_night_away_nor_the_alarm(acme: Firm, ada: Principal, spoilt: str) -> None:
    made_long_ago()
    with tampering() as connection:
        connection.execute(spoilt)  # type: ignore[arg-type]
    assert "verification" in red()
    assert swept() == 1
    with open_scope(tenant=acme.id, reason="a test"):
        moving = Verification.objects.get(state__in=("waiting", "running"))
    run(moving)
    assert "verification" not in red()


def test_what_the_workers_role_writes_is_not_believed_without_the_workers_key(acme: Firm, ada: Principal) -> None:
    made_long_ago()
    assert swept() == 1
    with acting_as("glassbox_worker"), open_scope(tenant=acme.id, reason="an attack"):
        Verification.objects.update(state="intact", finished_at=timezone.now(), note="forged")
    assert red() == {"verification"}
    with open_scope(tenant=acme.id, reason="a test"):
        assert standing().verdict is Verdict.NEVER
    assert "verification" in on_the_start_page("ada")
    # It is made again, but reading the whole log every minute would be an attack itself.
    assert swept() == 0
    with tampering() as connection:
        connection.execute("UPDATE audit_verification SET finished_at = finished_at - interval '61 minutes'")
    assert swept() == 1


def test_findings_that_a_later_forged_row_would_hide_stay_red(acme: Firm, ada: Principal) -> None:
    with tampering() as connection:
        connection.execute("UPDATE audit_event SET action = 'x' WHERE action = 'tenants.scope.created'")
    found = verified(acme, ada)
    with tampering() as connection:
        connection.execute(
            "INSERT INTO audit_verification (id, tenant_id, night, requested_at, state, finished_at, done, total, "
            "lease_owner, attempts, events, leaves, groups, finding_count, findings, error_code, note) SELECT "
            "'ffffffff-ffff-7fff-bfff-ffffffffffff', tenant_id, '2026-01-01', '2116-01-01', 'intact', '2116-01-01', "
            "0, 0, '', 0, 0, 0, 0, 0, '{}', '', note FROM audit_verification WHERE id = %s",
            [found.id],
        )
    assert red() == {"verification"}
    with open_scope(tenant=acme.id, reason="a test"):
        assert standing().verdict is Verdict.FINDINGS


@pytest.mark.slow
def test_an_older_word_of_the_workers_that_is_copied_hides_no_findings(acme: Firm, ada: Principal) -> None:
    """Signed by the worker, of this tenant and of today: what is judged lies where no row can be written."""
    good = verified(acme, ada)
    with tampering() as connection:
        connection.execute("UPDATE audit_event SET action = 'x' WHERE action = 'tenants.scope.created'")
    bad = verified(acme, ada)
    assert (good.state, bad.state) == ("intact", "findings")
    with tampering() as connection:
        connection.execute("UPDATE audit_verification SET note = '' WHERE id = %s", [bad.id])
        connection.execute(
            "INSERT INTO audit_verification (id, tenant_id, night, requested_at, state, finished_at, done, total, "
            "lease_owner, attempts, events, leaves, groups, finding_count, findings, error_code, note) SELECT "
            "uuidv7(), tenant_id, '2026-01-01', requested_at, state, finished_at, 0, 0, '', 0, 0, 0, 0, 0, '{}', '', "
            "note FROM audit_verification, generate_series(1, 30) WHERE id = %s",
            [good.id],
        )
    # Whatever the cache remembers, or has lost.
    for _ in range(2):
        assert red() == {"verification"}
        assert on_the_start_page("ada") == ["verification"]
        with open_scope(tenant=acme.id, reason="a test"):
            assert standing().verdict is Verdict.FINDINGS
        cache.clear()
        the_clock_goes()
    place = Path(configured.GLASSBOX_CHECKPOINT_URL) / "glassbox" / "verified" / str(acme.id) / "latest"
    place.unlink()
    cache.clear()
    the_clock_goes()
    assert red() == set(), "a broken test: the rows alone would have been believed"


def test_a_place_outside_that_can_not_be_read_is_an_alarm(acme: Firm, ada: Principal, settings: LazySettings) -> None:
    verified(acme, ada)
    assert red() == set()
    settings.GLASSBOX_CHECKPOINT_URL = "nowhere:at/all"
    cache.clear()
    the_clock_goes()
    assert red() == {"verification"}
    with open_scope(tenant=acme.id, reason="a test"):
        assert standing().verdict is Verdict.NEVER


@pytest.mark.slow
def test_an_alarm_begins_after_26_hours_and_ends_with_the_next_verification(acme: Firm, ada: Principal) -> None:
    found = verified(acme, ada)
    as_of(found, timezone.now() - timedelta(hours=25))
    assert red() == set()
    as_of(found, timezone.now() - timedelta(hours=27))
    assert red() == {"verification"}
    assert on_the_start_page("ada") == ["verification"]
    assert "not verified in the last 26 hours" in seen().alarms[0].what
    verified(acme, ada)
    assert (red(), on_the_start_page("ada")) == (set(), [])


def test_a_statement_is_of_its_tenant_its_key_and_its_past(acme: Firm) -> None:
    now = datetime(2026, 3, 8, tzinfo=UTC)

    def note(at: datetime) -> str:
        with as_worker():
            return state_verification(
                tenant_id=acme.id, verification_id=uuid4(), state=VerificationState.INTACT, at=at, result={}
            )

    good = stated(note(now), tenant_id=acme.id, now=now)
    assert good is not None
    assert (good.at, good.state) == (now, VerificationState.INTACT)
    assert stated(note(now), tenant_id=uuid4(), now=now) is None
    assert stated(note(now + timedelta(hours=1)), tenant_id=acme.id, now=now) is None
    assert stated(note(now).replace("intact", "failed"), tenant_id=acme.id, now=now) is None
    assert stated("", tenant_id=acme.id, now=now) is None
    earlier = note(now - timedelta(days=1))
    assert newest([earlier, "junk", note(now)], tenant_id=acme.id, now=now) == good
    # Without the worker's key nobody can make one.
    assert (
        state_verification(
            tenant_id=acme.id, verification_id=uuid4(), state=VerificationState.INTACT, at=now, result={}
        )
        == ""
    )


# --- Removals ---------------------------------------------------------------------------------------------------------


def aged(run: RemovalRun, assignments: str) -> None:
    with tampering() as connection:
        connection.execute(f"UPDATE audit_removalrun SET {assignments} WHERE id = %s", [run.id])  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("assignments", "is_red"),
    [
        ("approved_at = now() - interval '9 minutes'", False),
        ("approved_at = now() - interval '11 minutes'", True),
        ("approved_at = '2116-01-01'", True),
        ("approved_at = now() - interval '9 hours', proof = 'physical'", False),
        ("approved_at = now() - interval '27 hours', proof = 'physical'", True),
        ("approved_at = now() - interval '9 hours', proof = 'physical', prepared_at = now()", False),
        ("approved_at = now() - interval '9 hours', next_attempt_at = now()", False),
        ("state = 'executing', lease_until = now() + interval '1 minute'", False),
        ("state = 'executing', lease_until = now() - interval '11 minutes'", True),
        ("state = 'executing', lease_until = '2116-01-01'", True),
        ("state = 'failed', error_code = 'x', attempts = 1, next_attempt_at = now() + interval '1 minute'", False),
        ("state = 'failed', error_code = 'x', attempts = 3, next_attempt_at = now() + interval '4 minutes'", True),
        ("state = 'failed', error_code = 'x', next_attempt_at = NULL", True),
        ("state = 'verifying', verifying_at = now() - interval '25 hours'", False),
        ("state = 'verifying', verifying_at = now() - interval '27 hours'", True),
    ],
)
def test_an_approved_removal_that_does_not_go_on_in_its_time_is_an_alarm(
    acme: Firm, assignments: str, is_red: bool
) -> None:
    with stores_of_documents():
        run = approved(acme, documents(acme, 1))
    aged(run, assignments)
    assert (red() == {"removals"}) is is_red
    make_member(acme, "ada", Role.AUDITOR)
    assert on_the_start_page("dora-acme") == (["removals"] if is_red else [])
    assert on_the_start_page("ada") == [], "she has no part in it"


def test_one_run_that_can_not_be_taken_keeps_no_other_waiting(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    from apps.erasure import engine

    with stores_of_documents():
        stuck, other = approved(acme, documents(acme, 1)), approved(acme, documents(acme, 1))
        claim = engine.claim

        def claimed(**given: Any) -> Any:
            if given["run_id"] == stuck.id:
                raise PermissionError
            return claim(**given)

        monkeypatch.setattr(engine, "claim", claimed)
        with acting_as("glassbox_eraser"):
            engine.carry_out_due()
    assert (again(acme, stuck).state, again(acme, other).state) == ("approved", "completed")
    assert failing() == {RemovalRun.sweep(): [str(acme.id)]}
    assert red() == {"schedule"}


# --- The schedule -----------------------------------------------------------------------------------------------------


def test_a_schedule_that_is_silent_is_an_alarm(acme: Firm, ada: Principal) -> None:
    assert (clock.silent_tasks(), red()) == ([], set())
    cache.set("clock:beat", time.time() - 301)
    assert (clock.silent_tasks(), red()) == (["beat"], {"schedule"})
    the_clock_goes()
    cache.set("clock:apps.audit.tasks.verification_sweep", time.time() - 1_801)
    assert clock.silent_tasks() == ["apps.audit.tasks.verification_sweep"]
    assert red() == {"schedule"}
    assert on_the_start_page("ada") == ["schedule"]
    the_clock_goes()
    # A time to come is no time.
    cache.set("clock:apps.erasure.tasks.sweep_removals", time.time() + 10_000)
    assert red() == {"schedule"}


def test_a_run_of_the_schedule_is_noted_when_it_ended_well() -> None:
    from apps.tenants.tasks import tell_alarms

    cache.clear()
    tell_alarms.apply()
    assert clock.last_runs(["apps.tenants.tasks.tell_alarms"])["apps.tenants.tasks.tell_alarms"] == pytest.approx(
        time.time(), abs=60
    )
    assert "apps.tenants.tasks.tell_alarms" not in clock.silent_tasks()


def test_the_database_has_no_schedule_that_somebody_could_switch_off() -> None:
    from celery.beat import Service

    from config.celery import app

    assert [each for each in connection.introspection.table_names() if "celery" in each] == []
    scheduler = Service(app, scheduler_cls=configured.CELERY_BEAT_SCHEDULER).scheduler
    assert scheduler.schedule.keys() >= configured.CELERY_BEAT_SCHEDULE.keys()
    due = {name for name, entry in scheduler.schedule.items() if entry.is_due().is_due}
    assert due == configured.CELERY_BEAT_SCHEDULE.keys(), "a restart makes nothing late"


# --- Mail -------------------------------------------------------------------------------------------------------------


def alarm(tenant: Firm | None, watched: Watched = Watched.REMOVALS) -> Alarm:
    return Alarm(
        watched=watched,
        tenant_id=tenant.id if tenant else None,
        what="It stands still.",
        todo="Ask.",
        operators="See why.",
    )


def test_the_operators_are_told_once_a_day_and_thing_in_one_letter(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    bolt = make_firm("bolt")
    both = [alarm(acme), alarm(bolt)]
    assert (tell_operators(both), tell_operators(both)) == (2, 0)
    (letter,) = mail.outbox
    assert letter.to == ["ops@example.com"]
    assert (letter.body.count("It stands still.\nSee why."), str(acme.id) in letter.body) == (2, True)
    # Another process, which has told nothing itself.
    alarm_mail._told_here.clear()
    assert tell_operators(both) == 0
    assert tell_operators([*both, alarm(None, Watched.SCHEDULE)]) == 1
    monkeypatch.setattr(alarm_mail, "_BEGAN", time.monotonic())
    alarm_mail._told_here.clear()
    cache.clear()
    assert tell_operators([alarm(None, Watched.SCHEDULE)]) == 0, "what has just begun waits for what begins with it"
    assert tell_operators(both) == 2
    mail.outbox.pop()
    tomorrow = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    assert tell_operators(both) == 2
    assert len(mail.outbox) == 3


def test_a_mail_server_that_is_down_has_told_nobody(acme: Firm, settings: LazySettings) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = (
        "django.core.mail.backends.smtp.EmailBackend",
        "127.0.0.1",
        1,
    )
    assert tell_operators([alarm(acme)]) == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert tell_operators([alarm(acme)]) == 1


def test_what_can_not_be_asked_is_an_alarm_itself(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    from apps.tenants import registry

    broken = Watch(watched=Watched.REMOVALS, sql="SELECT nobody FROM audit_removalrun", judge=removals._stuck)
    monkeypatch.setattr(registry, "_watches", [broken, *registry._watches])
    assert red() == {"removals"}
