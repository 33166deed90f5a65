"""`manage.py test` runs every step and fails if one fails; with arguments it is pytest alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from config import testing
from config.testing import Step, run


def step(name: str, code: int) -> Step:
    return Step(name, (sys.executable, "-c", f"print({name + ' ran'!r}, flush=True); raise SystemExit({code})"))


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Two steps that pass, in place of the real ones."""
    monkeypatch.setattr(testing, "checks", lambda: (step("lint", 0),))
    monkeypatch.setattr(testing, "suite", lambda arguments: step(f"suite{arguments}", 0))
    return monkeypatch


def test_all_steps_pass(replaced: pytest.MonkeyPatch) -> None:
    assert run([]) == 0


def test_the_suite_runs_although_a_check_failed(
    replaced: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    replaced.setattr(testing, "checks", lambda: (step("lint", 1),))
    run([])
    assert "suite[] ran" in capfd.readouterr().out


def test_a_failed_check_fails_all(replaced: pytest.MonkeyPatch) -> None:
    replaced.setattr(testing, "checks", lambda: (step("lint", 1), step("types", 0)))
    assert run([]) == 1


def test_a_failed_suite_fails_all(replaced: pytest.MonkeyPatch) -> None:
    replaced.setattr(testing, "suite", lambda arguments: step("suite", 1))
    assert run([]) == 1


def test_a_tool_that_is_missing_fails(replaced: pytest.MonkeyPatch) -> None:
    replaced.setattr(testing, "checks", lambda: (Step("lint", ("/nowhere/lint",)),))
    assert run([]) == 1


def test_with_arguments_the_checks_are_left_out(
    replaced: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["tests/corpus", "-k", "pdf"])
    assert capfd.readouterr().out == "suite['tests/corpus', '-k', 'pdf'] ran\n"


def test_without_arguments_pytest_uses_two_processes() -> None:
    assert testing.suite([]).command[3:] == ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")


def test_the_summary_names_what_failed(replaced: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    replaced.setattr(testing, "checks", lambda: (step("lint", 1),))
    run([])
    assert "FAILED  lint" in capfd.readouterr().out


def test_help_shows_an_example(capfd: pytest.CaptureFixture[str]) -> None:
    run(["--help"])
    assert "manage.py test tests/corpus -k pdf" in capfd.readouterr().out


def test_the_lane_of_a_kind_of_plan_reaches_every_connection() -> None:
    show = (
        "from django.conf import settings; import os; every = settings.DATABASES.values();"
        "print(*(d['OPTIONS']['options'].rpartition(' ')[2] for d in every), os.environ['PGOPTIONS'])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", show],
        capture_output=True,
        text=True,
        check=True,
        cwd=testing.CHECKOUT,
        env=os.environ
        | {
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "GLASSBOX_TEST_PLAN_CACHE_MODE": "force_generic_plan",
        },
    ).stdout
    plan = "plan_cache_mode=force_generic_plan"
    assert shown.split() == [plan, plan, "-c", plan]
