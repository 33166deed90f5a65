"""`manage.py test`: the checks, then a lane of the tests. With pytest's arguments: only pytest, with those."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parent.parent
_SETTINGS: Final = "config.settings.test"
_MIGRATIONS: Final = ("makemigrations", "--check", "--dry-run")
# A file's tests go to one worker, so that what a file makes once (two firms and their documents) is made once. The
# order is that of tests/conftest.py, longest first; xdist's own would begin files with few tests last, and the longest
# are such.
# More than cores: tests wait for servers, browsers and processes. Four took longer on two cores than three.
_WORKERS: Final = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
_SLOWEST: Final = "--durations=20"
_ALL: Final = "--all"
_PURE: Final = "--pure"
_USAGE: Final = """usage: manage.py test [--all | --pure | PYTEST ARGUMENT ...]

Without arguments, the short lane: ruff, mypy, import-linter, a check for missing migrations, and the tests that are
quick, on three processes and in a random order. It leaves out what is marked slow (browsers, killed processes, backups,
physical proofs, benchmarks, whole evaluations), and draws a few parameters of each test; it prints the seeds, and the
slowest tests.
With --all: the checks and every test. CI runs this.
With --pure: the tests alone that need no database, no service and no other process (tests/pure.py), some 3,000; they
run on every machine and take about a minute.
With other arguments: pytest alone, which gets them. For example:

    python3 manage.py test
    python3 manage.py test --all
    python3 manage.py test -n 3 --dist loadfile --short=SEED --order=SEED    # the tests of a short lane that failed
    python3 manage.py test tests/corpus -k pdf

GLASSBOX_TEST_PLAN_CACHE_MODE=force_generic_plan (or force_custom_plan) has PostgreSQL make all plans in one way. Once
before a release, since what a role may not read is refused by some plans alone:

    GLASSBOX_TEST_PLAN_CACHE_MODE=force_generic_plan python3 manage.py test tests/audit tests/isolation
"""


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    command: tuple[str, ...]


def checks() -> tuple[Step, ...]:
    python = sys.executable
    lint_imports = str(Path(sysconfig.get_path("scripts")) / "lint-imports")
    return (
        Step("ruff check", (python, "-m", "ruff", "check", ".")),
        Step("ruff format", (python, "-m", "ruff", "format", "--check", ".")),
        Step("mypy", (python, "-m", "mypy")),
        Step("import-linter", (lint_imports,)),
        # It compares only the code with the migrations, so the warning that no database is up is ignored.
        Step("migrations", (python, "-W", "ignore::RuntimeWarning", "manage.py", *_MIGRATIONS)),
    )


def suite(arguments: list[str]) -> Step:
    """Return pytest's step: with these arguments, or for a lane if there are none, or only `--all` or `--pure`."""
    if arguments == [_ALL]:
        arguments = [*_WORKERS, _SLOWEST]
    elif arguments == [_PURE]:
        arguments = [*_WORKERS, _PURE]
    elif not arguments:
        seed = secrets.randbelow(10**6)
        arguments = [*_WORKERS, _SLOWEST, f"--short={seed}", f"--order={seed}"]
    return Step("pytest", (sys.executable, "-m", "pytest", *arguments))


def run(arguments: list[str]) -> int:
    """Run the steps one after the other, even if an earlier one fails.

    Args:    arguments: none or `--all` for a lane; else pytest's, and the checks are left out.
    Returns: exit status: 0 when every step passed, pytest's own when it alone was run, else 1.
    """
    if arguments in (["-h"], ["--help"]):
        print(_USAGE)
        return 0
    if arguments not in ([], [_ALL]):
        return _run(suite(arguments))
    outcomes: list[tuple[str, int, float]] = []
    for step in (*checks(), suite(arguments)):
        _print_heading(step.name)
        began = time.monotonic()
        outcomes.append((step.name, _run(step), time.monotonic() - began))
    _print_heading("summary")
    for name, code, elapsed_s in outcomes:
        print(f"{'passed' if code == 0 else 'FAILED':8}{name:16}{elapsed_s:8.1f} s")
    return 0 if all(code == 0 for _, code, _ in outcomes) else 1


def _run(step: Step) -> int:
    # A folder of this run's own: pytest closes the common one to other accounts whenever it begins, and so takes their
    # data from the database servers of another run.
    with TemporaryDirectory(prefix="gt", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        return _run_in(folder, step)


def _run_in(folder: str, step: Step) -> int:
    variables = os.environ | {"DJANGO_SETTINGS_MODULE": _SETTINGS, "PYTEST_DEBUG_TEMPROOT": folder}
    # Without bytecode caches, each test process compiles its imports and pytest rewrites every assertion again: 23 s of
    # work for each, and 1 s for each process that a test starts.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        return subprocess.run(step.command, cwd=CHECKOUT, env=variables, check=False).returncode
    except FileNotFoundError:
        print(f"{step.command[0]} is missing: remove .venv and run the command again.", file=sys.stderr)
        return 127


def _print_heading(name: str) -> None:
    print(f"\n=== {name} {'=' * (72 - len(name))}", flush=True)
