"""A sweep goes on past what fails and tells of it; a time to come keeps nothing waiting for ever."""

from __future__ import annotations

import ast
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, SweepIncompleteError, each_by_itself, each_tenant, failing
from apps.tenants.waits import LONGEST_WAIT, has_come

TENANTS = [TenantId(uuid4()) for _ in range(3)]
NOW = datetime(2026, 3, 8, 12, tzinfo=UTC)


pytestmark = pytest.mark.usefixtures("own_cache")


def broken_for(*tenants: TenantId) -> list[TenantId]:
    """Sweep all of them; work fails for these. Returns: for which it was tried."""
    tried: list[TenantId] = []

    def work(tenant: TenantId) -> int:
        tried.append(tenant)
        if tenant in tenants:
            raise OSError("a secret")
        return 10

    assert each_tenant(work, doing=Sweep.LETTERS, tenants=TENANTS) == 10 * (len(TENANTS) - len(tenants))
    return tried


def test_one_that_fails_stops_no_other_and_is_told_until_it_goes_well(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="glassbox.sweep"):
        assert broken_for(TENANTS[0]) == TENANTS
    assert f"send letters that are due failed for {TENANTS[0]}: OSError" in caplog.text
    assert "a secret" not in caplog.text
    assert failing() == {Sweep.LETTERS: [str(TENANTS[0])]}
    broken_for()
    assert failing() == {}


def test_rows_of_one_tenant_are_done_each_by_itself_and_the_tenant_counts_as_failing() -> None:
    done: list[int] = []

    def row(number: int) -> int:
        if number == 1:
            raise OSError
        done.append(number)
        return 1

    with pytest.raises(SweepIncompleteError):
        each_by_itself(range(4), row, doing="rows")
    assert done == [0, 2, 3]
    each_tenant(lambda tenant: each_by_itself([1], row, doing="rows"), doing=Sweep.PACKAGES, tenants=TENANTS[:1])
    assert failing() == {Sweep.PACKAGES: [str(TENANTS[0])]}


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (NOW, True),
        (NOW - timedelta(days=1), True),
        (NOW + timedelta(hours=1), False),
        (NOW + LONGEST_WAIT, False),
        (NOW + LONGEST_WAIT + timedelta(seconds=1), True),
        (datetime(2116, 1, 1, tzinfo=UTC), True),
    ],
)
def test_a_time_further_off_than_any_of_ours_has_come(moment: datetime, expected: bool) -> None:
    assert has_come(moment, NOW) is expected


@pytest.mark.slow
def test_every_walk_over_all_tenants_goes_through_each_tenant() -> None:
    """What is done by the clock for all tenants: a loop, or a sum, of its own stops at the first that fails."""
    found = []
    for path in sorted((settings.BASE_DIR / "apps").rglob("*.py")):
        name = str(path.relative_to(settings.BASE_DIR))
        if "management" in name or name in WALKS_BY_THEMSELVES:
            continue
        found += [f"{name}:{line}" for line in _loops_over_all_tenants(path)]
    assert found == []


# A probe that a person runs, and what is done once, by a person who sees it fail.
WALKS_BY_THEMSELVES = {
    "apps/tenants/probe.py",
    "apps/tenants/selectors/tenants.py",
    "apps/operations/backup/replay.py",
    # Which tenants there are to go through, handed to each_tenant.
    "apps/tenants/sweeping.py",
    "apps/retrieval/usage/counting.py",
    "apps/erasure/retention/counting.py",
    # One at a time, each by each_that_can: the first that has something is enough.
    "apps/corpus/services/ingest/turns.py",
}


def _loops_over_all_tenants(path: Path) -> list[int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    loops: list[ast.For | ast.comprehension] = [
        node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)
    ]
    return [
        node.iter.lineno
        for node in loops
        if any(
            isinstance(each, ast.Name) and each.id in ("all_tenants", "active_tenants") for each in ast.walk(node.iter)
        )
    ]


@pytest.mark.slow
def test_every_lease_and_wait_of_the_clock_is_asked_with_its_bound() -> None:
    """No filter asks by itself whether a lease has ended or a time has come."""
    asked = ("lease_until__lte", "next_attempt_at__lte", "next_try_at__lte", "claimed_at__lt=", "claimed_at__lte")
    found = [
        f"{path.relative_to(settings.BASE_DIR)}: {word}"
        for path in sorted((settings.BASE_DIR / "apps").rglob("*.py"))
        for word in asked
        if word in path.read_text(encoding="utf-8")
    ]
    assert found == []
