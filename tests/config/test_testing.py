"""`manage.py test` runs every step and fails if one fails; with arguments it is pytest alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

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


def test_all_keeps_the_checks(replaced: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    run(["--all"])
    printed = capfd.readouterr().out
    assert printed.index("lint ran") < printed.index("suite['--all'] ran")


def test_a_lane_runs_on_three_processes() -> None:
    workers = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
    assert testing.suite(["--all"]).command[3:] == (*workers, "--durations=20")
    assert testing.suite([]).command[3:-2] == (*workers, "--durations=20")
    assert re.fullmatch(r"--short=(\d+) --order=\1", " ".join(testing.suite([]).command[-2:]))
    assert testing.suite([]).command != testing.suite([]).command
    assert testing.suite(["--pure"]).command[3:] == (*workers, "--pure")


def test_ci_runs_every_test() -> None:
    last = (testing.CHECKOUT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]
    assert last == "exec python3 manage.py test --all"


_SUITE = """
    import pytest

    @pytest.mark.slow
    def test_slow(): ...

    def test_quick(): ...

    @pytest.mark.parametrize("number", range(100))
    def test_many(number): ...
"""


def _collected(folder: Path, *arguments: str) -> list[str]:
    printed = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--collect-only", "-q", *arguments, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=testing.CHECKOUT,
    ).stdout
    return re.findall(r"::(\S+)", printed)


@pytest.mark.slow
def test_the_short_lane_leaves_out_what_is_slow_and_draws_by_its_seed(tmp_path: Path) -> None:
    (tmp_path / "test_drawn.py").write_text(textwrap.dedent(_SUITE), encoding="utf-8")
    assert len(_collected(tmp_path)) == 102
    drawn = [_collected(tmp_path, f"--short={seed}") for seed in (1, 1, 2)]
    assert all(len(names) == 5 and names[0] == "test_quick" for names in drawn)
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.slow
def test_a_random_order_is_that_of_its_seed_and_keeps_files_together(tmp_path: Path) -> None:
    for name in "abcd":
        source = f"""
            import pytest

            @pytest.mark.parametrize("number", range(9))
            def test_{name}(number): ...
        """
        (tmp_path / f"test_{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    as_written = _collected(tmp_path)
    orders = [_collected(tmp_path, f"--order={seed}") for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    for order in orders:
        assert order != as_written
        assert sorted(order) == sorted(as_written)
        assert [name[5] for name in order[::9]] == [name[5] for name in order[8::9]]


_NOT_PURE = """
    import pytest

    @pytest.mark.django_db
    def test_marked(): ...

    @pytest.fixture(scope="module")
    def world(django_db_setup): ...

    @pytest.fixture
    def firm(world): ...

    def test_of_a_fixture(firm): ...

    @pytest.mark.slow
    def test_slow(): ...

    def test_pure(tmp_path): ...
"""
_STARTS_A_PROCESS = """
    import subprocess

    def test_started(): ...
"""


@pytest.mark.slow
def test_the_pure_lane_leaves_out_what_asks_for_a_database_or_starts_a_process(tmp_path: Path) -> None:
    (tmp_path / "test_asking.py").write_text(textwrap.dedent(_NOT_PURE), encoding="utf-8")
    (tmp_path / "test_starting.py").write_text(textwrap.dedent(_STARTS_A_PROCESS), encoding="utf-8")
    assert len(_collected(tmp_path)) == 5
    assert _collected(tmp_path, "--pure") == ["test_pure"]


@pytest.mark.slow
def test_the_pure_lane_starts_no_service(tmp_path: Path) -> None:
    """On files that have tests of both kinds; with a state folder where nothing runs yet."""
    files = ["tests/retrieval/test_replay.py", "tests/intents/test_services.py", "tests/intents/test_desk.py"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--pure", "-q", *files],
        capture_output=True,
        text=True,
        check=True,
        cwd=testing.CHECKOUT,
        env=os.environ | {"GLASSBOX_HOME": str(tmp_path)},
    ).stdout
    assert re.search(r"[1-9]\d* passed, [1-9]\d* deselected", ran)
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"secrets.json", "secrets.lock"}


def test_the_pure_lane_is_of_tests_alone(replaced: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    run(["--pure"])
    assert capfd.readouterr().out == "suite['--pure'] ran\n"


def test_the_summary_names_what_failed(replaced: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    replaced.setattr(testing, "checks", lambda: (step("lint", 1),))
    run([])
    assert "FAILED  lint" in capfd.readouterr().out


def test_help_names_the_lanes_and_shows_an_example(capfd: pytest.CaptureFixture[str]) -> None:
    run(["--help"])
    printed = capfd.readouterr().out
    assert "the short lane" in printed
    assert all(f"\nWith {lane}: " in printed for lane in ("--all", "--pure"))
    assert "manage.py test tests/corpus -k pdf" in printed


def test_test_processes_keep_bytecode(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(
        testing,
        "suite",
        lambda arguments: Step("", (sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)")),
    )
    run(["tests/corpus"])
    assert capfd.readouterr().out == "False\n"


def test_each_run_has_a_temporary_folder_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    show = "import os, stat; root = os.environ['PYTEST_DEBUG_TEMPROOT']; print(root, oct(os.stat(root).st_mode)[-3:])"
    monkeypatch.setattr(testing, "suite", lambda arguments: Step("", (sys.executable, "-c", show)))
    run(["tests/corpus"])
    run(["tests/corpus"])
    (first, first_mode), (second, second_mode) = (line.split() for line in capfd.readouterr().out.splitlines())
    assert first != second
    assert first_mode == second_mode == "711"
    assert not Path(first).exists()
    assert not Path(second).exists()


@pytest.mark.slow
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
