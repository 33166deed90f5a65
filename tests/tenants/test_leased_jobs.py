"""What every kind of job says of itself, so that one claim, one lease and one sweep serve them all."""

from __future__ import annotations

import pytest

from apps.erasure.models import RemovalRun
from apps.tenants import leased_jobs
from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.sweeping import Sweep
from apps.tenants.tasks import sweep_jobs
from config.celery import app
from config.settings import base as configured

KINDS = LeasedJob.kinds()


def test_the_kinds_are_found() -> None:
    assert {kind._meta.label for kind in KINDS} == {
        "audit.Inventory",
        "audit.RemovalRun",
        "audit.Verification",
        "corpus.IngestJob",
        "research.ResearchRun",
        "retrieval.PolicyImpact",
    }


def test_only_the_eraser_goes_over_removals(monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[str] = []

    def sweep(kind: type[LeasedJob]) -> int:
        swept.append(kind._meta.label)
        return 1

    monkeypatch.setattr(leased_jobs, "sweep_kind", sweep)
    assert sweep_jobs() == len(KINDS) - 1
    assert swept == [kind._meta.label for kind in KINDS if kind is not RemovalRun]


def test_one_sweep_of_the_schedule_is_for_all_of_them() -> None:
    entry = configured.CELERY_BEAT_SCHEDULE["jobs-sweep"]
    assert (entry["task"], entry["schedule"]) == (sweep_jobs.name, 30.0)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind._meta.label)
class TestEachKind:
    def test_its_task_is_there_and_survives_a_lost_worker(self, kind: type[LeasedJob]) -> None:
        app.loader.import_default_modules()
        task = app.tasks[kind.task]
        assert (task.acks_late, task.reject_on_worker_lost) == (True, True)

    def test_its_states_are_among_those_of_its_column(self, kind: type[LeasedJob]) -> None:
        states = {value for value, _ in kind._meta.get_field("state").choices}
        assert {*kind.waiting, *kind.postponed, kind.running} < states
        assert kind.running not in (*kind.waiting, *kind.postponed)

    def test_the_sweep_can_order_what_waits(self, kind: type[LeasedJob]) -> None:
        needed = {"started_at"} if kind.sweeps_itself else {"requested_at", "started_at"}
        assert needed <= {field.name for field in kind._meta.fields}

    def test_nobody_else_uses_its_task_or_its_words(self, kind: type[LeasedJob]) -> None:
        assert [each for each in KINDS if each.task == kind.task] == [kind]
        assert [each for each in KINDS if each.label == kind.label] == [kind]
        assert kind.sweep() not in {*Sweep}
