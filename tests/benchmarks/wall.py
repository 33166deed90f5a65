"""What the wall costs: the same retrieval SQL with and without it, in one run.

    python -m tests.benchmarks.wall [--quick] [--json] [--explain] [--no-statistics | --with-statistics]
                                    [--compare-statistics]

README.md beside this file says what is compared and how to read the table.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured.

    sizes: passages in the tenant that is searched, ascending.
    others: other tenants present, ascending.
    limit_s: for the repetitions at one size, on a machine that is busy or where a plan went wrong.
    statistics: "as migrated", "kept" or "none": what the planner knows of the values in tables with a tenant.
    """

    sizes: tuple[int, ...] = (1_000, 10_000, 50_000)
    others: tuple[int, ...] = (0, 100, 1_000)
    chunks_of_another: int = 200
    repetitions: int = 120
    warm_up: int = 8
    limit_s: float = 75
    statistics: str = "as migrated"
    compare_statistics: bool = False
    explain: bool = False


FULL = Plan()
# Enough to see that all of it works; its times say nothing.
QUICK = Plan(sizes=(40, 80), others=(0, 2), chunks_of_another=20, repetitions=4, warm_up=1)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    # Before the settings are read: they name the databases after the run.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "wall"
    import django

    django.setup()
    from tests.benchmarks.wall_report import as_text
    from tests.benchmarks.wall_run import run

    base = QUICK if options.quick else FULL
    plan = Plan(
        **{
            **asdict(base),
            "statistics": options.statistics,
            "compare_statistics": options.compare_statistics,
            "explain": options.explain,
            "repetitions": options.repetitions or base.repetitions,
        }
    )
    report = run(plan)
    print(json.dumps(report.as_json(plan), indent=2) if options.json else as_text(report, plan))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.wall", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run on small tenants; its times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--repetitions", type=int, help="how often each search runs on each side")
    parser.add_argument("--explain", action="store_true", help="add the plans of both sides in the largest database")
    parser.add_argument(
        "--compare-statistics",
        action="store_true",
        help="then measure the largest database with and without planner statistics, in turns",
    )
    statistics = parser.add_mutually_exclusive_group()
    statistics.add_argument(
        "--no-statistics",
        dest="statistics",
        action="store_const",
        const="none",
        help="let the planner keep no statistics of tables that have tenant_id",
    )
    statistics.add_argument(
        "--with-statistics", dest="statistics", action="store_const", const="kept", help="let it keep them"
    )
    parser.set_defaults(statistics="as migrated")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
