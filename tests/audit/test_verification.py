"""Verifying by the button and by the clock: against what lies outside, resumed when killed, never altered after."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.log.checkpoints import origin_of
from apps.audit.models import Event, Verification, VerificationState
from apps.audit.registry import Group
from apps.audit.verify import runs
from apps.audit.verify.findings import FindingClass
from apps.audit.verify.requests import NIGHT_AT, night_of, verification_request, verifications_request_due
from apps.audit.verify.runs import VerificationOutcome, VerificationPolicy, claim_verification
from apps.audit.verify.standing import Verdict, standing, starters
from apps.audit.verify.wording import WORDINGS
from apps.erasure.log_removal import Removal, removals_execute
from apps.tenants import leased_jobs, tokens
from apps.tenants.context import open_scope, renew_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.leased_jobs import LeaseLostError, Progress, hold, sweep_kind
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.acting import as_worker, authorised, checkpointed, recorded, sealed
from tests.audit.mutations import acting_as, authorise, execute
from tests.audit.verifying import as_of, request, run, stored, tampering, verified
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = VerificationPolicy(retry_after_s=-1.0)


@pytest.fixture
def place(settings: LazySettings, tmp_path: Path) -> Path:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path)
    cache.clear()
    return tmp_path


@pytest.fixture
def acme(place: Path) -> Firm:
    """Its log is sealed, signed and exported."""
    firm = baked(make_firm, "acme")
    sealed(firm, 5)
    checkpointed(firm)
    return firm


@pytest.fixture
def ada(acme: Firm) -> Principal:
    return make_member(acme, "ada", Role.AUDITOR)


def made_long_ago() -> None:
    with tampering() as connection:
        connection.execute("UPDATE tenants_tenant SET created_at = created_at - interval '40 days'")


def swept() -> int:
    with as_worker():
        return verifications_request_due() + sweep_kind(Verification)


def of_clock(firm: Firm) -> Verification:
    with open_scope(tenant=firm.id, reason="a test"):
        found: Verification = Verification.objects.filter(night__isnull=False).latest("night")
        return found


def verdict(firm: Firm) -> Verdict:
    with open_scope(tenant=firm.id, reason="a test"):
        return standing().verdict


# --- What it finds ----------------------------------------------------------------------------------------------------


def test_a_whole_log_is_intact_against_the_exported_checkpoint(acme: Firm, ada: Principal) -> None:
    assert verdict(acme) is Verdict.NEVER
    found = verified(acme, ada)
    with open_scope(tenant=acme.id, reason="a test"):
        size, told = Event.objects.count() - 1, Event.objects.get(action="audit.verification.finished")
        assert told.payload["core"]["state"] == "intact"
        assert starters([found]) == {found.id: "ada"}
    assert (found.state, found.started_by, found.finding_count, found.findings) == ("intact", ada.id, 0, {})
    # The newest events may wait; they are looked at, too. The checkpoint is older than some of the leaves.
    assert (found.events, found.leaves <= size) == (size, True)
    assert found.checkpoint_size is not None
    assert 0 < found.checkpoint_size <= found.leaves
    assert found.groups >= found.leaves
    assert found.finished_at is not None
    assert (told.subject_id, told.outcome) == (found.id, "success")
    assert verdict(acme) is Verdict.INTACT


def test_what_was_altered_is_counted_named_and_alarmed_without_a_word_of_it(
    acme: Firm, ada: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    with tampering() as connection:
        connection.execute(
            "UPDATE audit_event SET action = 'tenants.user.configured' WHERE action = %s", ["tenants.scope.created"]
        )
    found = verified(acme, ada)
    altered = found.findings["totals"][FindingClass.ALTERED_EVENT]
    assert (found.state, found.finding_count, found.findings["totals"]) == (
        "findings",
        altered,
        {"ALTERED_EVENT": altered},
    )
    first = found.findings["first"][0]
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(id=first["event"]).exists()
        assert Event.objects.get(action="audit.verification.finished").outcome == "failed"
    assert set(first) == {"class", "leaf", "event", "group", "size"}
    errors = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert len(errors) == 1
    assert str(acme.id) in errors[0].getMessage()
    assert "ALTERED_EVENT" in errors[0].getMessage()
    assert "fund:" not in caplog.text
    assert verdict(acme) is Verdict.FINDINGS


def test_a_log_that_was_cut_off_is_found_though_the_database_was_made_to_agree(acme: Firm, ada: Principal) -> None:
    sealed(acme)
    with tampering() as connection:
        connection.execute("DELETE FROM audit_checkpoint")
        connection.execute(
            "DELETE FROM audit_payload p USING audit_leaf l WHERE l.event_id = p.event_id AND l.index >= 2"
        )
        connection.execute("DELETE FROM audit_event e USING audit_leaf l WHERE l.event_id = e.id AND l.index >= 2")
        connection.execute("DELETE FROM audit_leaf WHERE index >= 2")
    assert verified(acme, ada).findings["totals"] == {"TRUNCATED": 1}


def test_only_the_first_hundred_are_kept_and_all_are_counted(acme: Firm, ada: Principal) -> None:
    sealed(acme, 150)
    with tampering() as connection:
        connection.execute("UPDATE audit_event SET actor_kind = 'user' WHERE action = 'tenants.scope.created'")
    found = verified(acme, ada)
    assert (len(found.findings["first"]), found.finding_count > 150) == (runs.SHOWN, True)


def test_before_anything_was_exported_it_says_so(place: Path) -> None:
    firm = baked(make_firm, "acme")
    sealed(firm, 2)
    found = verified(firm, make_member(firm, "ada", Role.AUDITOR))
    assert (found.state, found.checkpoint_size) == ("intact", None)


@pytest.mark.slow
def test_a_removal_under_way_is_looked_at_again_and_then_told(acme: Firm, ada: Principal) -> None:
    event = recorded(acme)[0]
    sealed(acme)
    authorising = authorised(acme.id, [Removal(event_id=event.id, group=Group.CORE)])
    sealed(acme)
    # What no checkpoint covers authorises nothing yet, and so nothing of it is late.
    assert verified(acme, ada).state == "intact"
    checkpointed(acme)
    asked = request(acme, ada)
    assert [run(asked, AT_ONCE) for _ in range(2)] == [VerificationOutcome.AGAIN, VerificationOutcome.AGAIN]
    assert (stored(asked).state, stored(asked).error_code) == ("waiting", "audit.removal_under_way")
    assert run(asked, AT_ONCE) == VerificationOutcome.DONE
    assert stored(asked).findings["totals"] == {"INCOMPLETE_ERASURE": 1}
    with acting_as("glassbox_eraser"), open_scope(tenant=acme.id, reason="a test"):
        removals_execute(authorising_event_id=authorising.id)
    assert verified(acme, ada).state == "intact"


@pytest.mark.slow
def test_a_removal_that_no_checkpoint_covers_is_looked_at_again_and_then_not_proven(acme: Firm, ada: Principal) -> None:
    event = recorded(acme)[0]
    sealed(acme)
    checkpointed(acme)
    execute(acme, authorise(acme, [(str(event.id), Group.CORE)]))
    asked = request(acme, ada)
    assert [run(asked, AT_ONCE) for _ in range(2)] == [VerificationOutcome.AGAIN, VerificationOutcome.AGAIN]
    assert (stored(asked).state, stored(asked).error_code) == ("waiting", "audit.checkpoint_missing")
    assert run(asked, AT_ONCE) == VerificationOutcome.DONE
    found = stored(asked)
    assert (found.state, found.findings["totals"]) == ("findings", {"UNSIGNED_REMOVAL": 1})
    assert (found.is_unproven, found.tail) == (True, found.leaves - found.covered_size)
    with pytest.raises(CommandError, match="no signed checkpoint covers") as caught:
        call_command("audit", "verify", "--tenant", acme.tenant.slug, stdout=StringIO())
    assert caught.value.returncode == 3
    checkpointed(acme)
    assert verified(acme, ada).state == "intact"


def test_a_tail_alone_is_told_and_is_no_finding(acme: Firm, ada: Principal) -> None:
    """As on any night: a checkpoint is signed every minute, and something happens every minute."""
    checkpointed(acme)
    sealed(acme, 5)
    found = verified(acme, ada)
    assert (found.state, found.covered_size) == ("intact", found.checkpoint_size)
    assert found.tail >= 5
    output = StringIO()
    call_command("audit", "verify", "--tenant", acme.tenant.slug, stdout=output)
    assert f"from {found.covered_size} on, have none yet" in output.getvalue()
    assert "Intact." in output.getvalue()


def test_an_event_that_says_that_the_log_was_restored_does_not_do_away_with_the_checkpoint_outside(
    acme: Firm, ada: Principal
) -> None:
    """It gives the log another origin, where no checkpoint lies yet: who restored it has vouched for the event."""
    sealed(acme, 3)
    checkpointed(acme)
    forged = new_id()
    with tampering() as connection:
        connection.execute("DELETE FROM audit_leaf WHERE tenant_id = %s", [acme.id])
        connection.execute("DELETE FROM audit_checkpoint WHERE tenant_id = %s", [acme.id])
        columns = "scope_ids, outcome, occurred_at, actor_kind, actor_id, actor_label, subject_type, subject_id"
        connection.execute(
            f"INSERT INTO audit_event (id, tenant_id, action, commitments, {columns}) "
            f"SELECT %s, tenant_id, 'audit.log.restored', '{{}}', {columns} FROM audit_event "
            "WHERE tenant_id = %s ORDER BY occurred_at DESC LIMIT 1",
            [forged, acme.id],
        )
    asked = request(acme, ada)
    outcomes = [run(asked, AT_ONCE) for _ in range(3)]
    assert outcomes[-1] == VerificationOutcome.FAILED
    assert stored(asked).error_code == "audit.exported_checkpoint_lost"


@pytest.mark.slow
def test_a_log_is_verified_for_longer_than_a_token_is_good_for(
    acme: Firm, ada: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each token is given a moment of life, and the batches are small: without renewal the second one fails."""
    sealed(acme, 30)
    monkeypatch.setattr("apps.audit.verify.reading.BATCH", 4)
    monkeypatch.setattr("apps.audit.verify.application._TOLD_EVERY", 5)
    real = tokens.scope_token
    born = time.time()

    def aged(**named: object) -> str:
        # What was minted at the beginning is long past, and what is minted now is good.
        late = time.time() - born > 2.0
        return real(**named, now=None if late else born - 58.0)  # type: ignore[arg-type]

    monkeypatch.setattr("apps.tenants.context.scope_token", aged)
    asked = request(acme, ada)
    waited: list[int] = []

    def wait(self: object, done: int, total: int) -> None:
        if done and not waited:
            waited.append(done)
            time.sleep(3.1)

    monkeypatch.setattr(Progress, "__call__", wait)
    assert run(asked) == VerificationOutcome.DONE
    assert stored(asked).state == "intact"


def test_a_persons_scope_is_not_renewed(acme: Firm, ada: Principal) -> None:
    with open_scope(tenant=acme.id, principal=ada), pytest.raises(ValueError, match="only the system"):
        renew_scope()


# --- What lies outside ------------------------------------------------------------------------------------------------


def test_a_place_that_cant_be_read_is_tried_three_times(acme: Firm, ada: Principal, place: Path) -> None:
    latest = place / origin_of(acme.id) / "latest"
    latest.rename(latest.with_name("kept"))
    latest.mkdir()
    asked = request(acme, ada)
    assert run(asked, AT_ONCE) == VerificationOutcome.AGAIN
    assert (stored(asked).state, stored(asked).error_code) == ("waiting", "audit.checkpoint_export")
    latest.rmdir()
    latest.with_name("kept").rename(latest)
    assert run(asked, AT_ONCE) == VerificationOutcome.DONE
    assert (stored(asked).state, stored(asked).error_code) == ("intact", "")


def test_a_checkpoint_that_vanished_outside_is_never_passed_over(acme: Firm, ada: Principal, place: Path) -> None:
    (place / origin_of(acme.id) / "latest").unlink()
    asked = request(acme, ada)
    assert [run(asked, AT_ONCE) for _ in range(3)][-1] == VerificationOutcome.FAILED
    assert (stored(asked).state, stored(asked).error_code) == ("failed", "audit.exported_checkpoint_lost")
    assert verdict(acme) is Verdict.FAILED


def test_a_checkpoint_that_was_put_back_to_an_older_one_is_refused(acme: Firm, ada: Principal, place: Path) -> None:
    latest = place / origin_of(acme.id) / "latest"
    older = latest.read_text()
    sealed(acme, 3)
    checkpointed(acme)
    assert verified(acme, ada).state == "intact"
    latest.write_text(older)
    asked = request(acme, ada)
    run(asked, AT_ONCE)
    assert stored(asked).error_code == "audit.exported_checkpoint_lost"


def test_a_checkpoint_that_nobody_known_signed_ends_it_at_once(acme: Firm, ada: Principal, place: Path) -> None:
    latest = place / origin_of(acme.id) / "latest"
    latest.write_text(latest.read_text().replace("\n", "\n7", 1))
    asked = request(acme, ada)
    assert run(asked) == VerificationOutcome.FAILED
    assert stored(asked).error_code == "audit.checkpoint_not_trusted"


# --- Who runs it ------------------------------------------------------------------------------------------------------


def test_one_at_a_time_whoever_asks(acme: Firm, ada: Principal) -> None:
    assert request(acme, ada).id == request(acme, make_member(acme, "dora", Role.DPO)).id
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(action="audit.verification.requested").count() == 1


def test_who_may_not_see_the_log_may_not_ask(acme: Firm) -> None:
    with pytest.raises(PermissionDeniedError):
        request(acme, make_member(acme, "ann", Role.ANALYST))
    with open_scope(tenant=acme.id, reason="a test"), pytest.raises(ValueError, match="by the clock"):
        verification_request()


def test_a_second_message_finds_nothing_to_do(acme: Firm, ada: Principal) -> None:
    asked = request(acme, ada)
    with as_worker():
        assert claim_verification(tenant_id=acme.id, verification_id=asked.id, lease_s=300.0) is not None
    assert run(asked) == VerificationOutcome.NOT_CLAIMED


def test_a_run_whose_worker_died_is_begun_anew_and_the_dead_one_changes_nothing(acme: Firm, ada: Principal) -> None:
    asked = request(acme, ada)
    with as_worker():
        dead = claim_verification(tenant_id=acme.id, verification_id=asked.id, lease_s=-1.0)
    assert dead is not None
    with tampering() as connection:
        connection.execute("UPDATE audit_verification SET next_attempt_at = NULL")
    assert swept() == 1
    assert run(asked) == VerificationOutcome.DONE
    with as_worker(), open_scope(tenant=acme.id, reason="a test"), pytest.raises(LeaseLostError):
        hold(dead, state=VerificationState.INTACT, finished_at=timezone.now())
    assert (stored(asked).state, stored(asked).attempts) == ("intact", 2)


def test_a_worker_that_dies_every_time_ends_it(acme: Firm, ada: Principal) -> None:
    asked = request(acme, ada)
    for _ in range(3):
        with as_worker():
            claim_verification(tenant_id=acme.id, verification_id=asked.id, lease_s=-1.0)
    assert run(asked) == VerificationOutcome.FAILED
    assert stored(asked).error_code == "audit.verification_worker_lost"


def test_progress_is_seen_while_it_runs_and_a_run_that_was_taken_over_stops(
    acme: Firm, ada: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed(acme, 20)
    monkeypatch.setattr("apps.audit.verify.application._TOLD_EVERY", 5)
    asked, seen = request(acme, ada), []
    tell = Progress.__call__

    def watched(self: Progress, done: int, total: int) -> None:
        tell(self, done, total)
        with tampering() as connection:
            seen.append(connection.execute("SELECT done, total, state FROM audit_verification").fetchone())
            if done >= 15:
                connection.execute("UPDATE audit_verification SET lease_owner = 'another'")

    monkeypatch.setattr(Progress, "__call__", watched)
    assert run(asked, VerificationPolicy(told_every_s=0.0)) == VerificationOutcome.LOST
    assert [(done, state) for done, _, state in filter(None, seen)][:4] == [
        (0, "running"),
        (5, "running"),
        (10, "running"),
        (15, "running"),
    ]
    assert all(each and each[1] >= 20 for each in seen)
    assert stored(asked).state == "running"


def test_a_fault_of_the_program_is_told_without_its_words(
    acme: Firm, ada: Principal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = uuid4().hex

    def broken(**_: object) -> None:
        raise RuntimeError(secret)

    monkeypatch.setattr(runs, "verify_tenant", broken)
    asked = request(acme, ada)
    assert [run(asked, AT_ONCE) for _ in range(3)][-1] == VerificationOutcome.FAILED
    assert stored(asked).error_code == "audit.verification_crashed"
    assert secret not in caplog.text


# --- By the clock -----------------------------------------------------------------------------------------------------


def test_every_tenant_is_verified_once_a_night_and_a_missed_one_is_caught_up(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_firm("bolt")
    assert swept() == 0, "a tenant's first night is the one after it was made"
    made_long_ago()
    assert swept() == 2
    asked = of_clock(acme)
    assert (asked.night, asked.started_by) == (night_of(timezone.now()), None)
    run(asked)
    assert swept() == 0
    later = timezone.now() + timedelta(days=3)
    with tampering() as connection:
        # The server's clock is not moved: what it holds of times to come is tried in tests/isolation.
        connection.execute("ALTER TABLE audit_verification DISABLE TRIGGER audit_verification_in_time")
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert swept() >= 1, "the schedule was away for three days"
    with tampering() as connection:
        connection.execute("ALTER TABLE audit_verification ENABLE TRIGGER audit_verification_in_time")
    assert of_clock(acme).night == night_of(later)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Verification.objects.count() == 2


def test_the_night_begins_at_its_hour() -> None:
    before, at = datetime(2026, 3, 8, 1, 59, tzinfo=UTC), datetime.combine(datetime(2026, 3, 8), NIGHT_AT, UTC)
    assert (night_of(before).day, night_of(at).day) == (7, 8)


def test_what_somebody_asked_for_does_not_take_the_nights_place(acme: Firm, ada: Principal) -> None:
    made_long_ago()
    asked = request(acme, ada)
    assert swept() == 0, "one waits already"
    run(asked)
    assert swept() == 1
    run(of_clock(acme))
    assert swept() == 0


def test_a_message_that_was_lost_is_sent_again(acme: Firm, ada: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[list[str]] = []
    monkeypatch.setattr(leased_jobs, "send", lambda task, arguments, after_s: sent.append(arguments))
    asked = request(acme, ada)
    assert swept() == 0
    with tampering() as connection:
        connection.execute("UPDATE audit_verification SET next_attempt_at = now() - interval '1 second'")
    assert [swept(), swept()] == [1, 0]
    assert sent == [[str(acme.id), str(asked.id)]] * 2


def test_a_suspended_tenant_is_verified_as_well(acme: Firm) -> None:
    made_long_ago()
    with tampering() as connection:
        connection.execute("UPDATE tenants_tenant SET status = 'suspended'")
    assert swept() == 1


def test_a_verification_that_is_too_old_is_overdue(acme: Firm, ada: Principal) -> None:
    as_of(verified(acme, ada), timezone.now() - timedelta(hours=27))
    assert verdict(acme) is Verdict.OVERDUE


def test_every_class_of_finding_has_words() -> None:
    assert set(WORDINGS) == set(FindingClass)
