"""Going on with every run that is to be proven, as glassbox_eraser, with the access of the server's administrator.

One process at a time: it holds a lock of the server's for as long as its connection lives, so that whoever is killed
leaves no trace of having been there. What each run has behind it stands in its row; every part can be repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from apps.erasure.contracts import Proof, RunState
from apps.erasure.models import RemovalRun
from apps.erasure.proof import safe
from apps.erasure.proof.after_restore import is_needed, look_again, prove_restorations, restorations_wait
from apps.erasure.proof.disk import forget, forget_other_databases, plan_batch, tables_to_rewrite
from apps.erasure.proof.errors import ProverBusyError, WindowError
from apps.erasure.proof.notes import waits
from apps.erasure.proof.passes import Passes, Patience, Went
from apps.erasure.residue.access import Access
from apps.erasure.runs.lease import REASON
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.tokens import Identity

WINDOW: Final = "audit.proof_window"
# One that is to end without a physical proof is the engine's (runs/unproven.py).
_TO_PREPARE: Final = Q(
    state=RunState.APPROVED, proof=Proof.PHYSICAL, prepared_at__isnull=True, unproven_agreed_by__isnull=True
)
_TO_VERIFY: Final = Q(state=RunState.VERIFYING, unproven_agreed_by__isnull=True)
_NEEDED: Final = (RunState.APPROVED, RunState.EXECUTING, RunState.VERIFYING, RunState.FAILED)


def is_open(now: datetime) -> bool:
    """Whether tables may be written anew now: in hours in which nobody minds that they can't be read for a while.

    Args: now: with a time zone, UTC. Raises: WindowError.
    """
    window: str = settings.GLASSBOX_ERASURE_WINDOW
    if not window:
        return True
    try:
        start, end = (time.fromisoformat(part.strip()) for part in window.split("-"))
    except ValueError as error:
        raise WindowError from error
    moment = now.time()
    # One that ends before it starts goes over midnight.
    return start <= moment < end if start <= end else moment >= start or moment < end


def is_anything_due() -> bool:
    """Costs: one query, as glassbox_eraser."""
    with open_identity(Identity(all_tenants=True)):
        waits_of_runs = RemovalRun.objects.filter(_TO_PREPARE | _TO_VERIFY).exists()
    return bool(waits_of_runs) or restorations_wait()


def prove_due(
    access: Access,
    *,
    only: UUID | None = None,
    at_once: bool = False,
    again: bool = False,
    patience: Patience | None = None,
    wait_s: float = 300.0,
) -> Went:
    """Prepare what was approved, and verify what counted zero: as far as each goes now.

    Args:   only: one run; None for all. at_once: also outside GLASSBOX_ERASURE_WINDOW.
            again: look again at what came back by a restore and was found on the disk.
            wait_s: how long older transactions are waited for.
    Raises: ProverBusyError; psycopg.OperationalError: the server does not answer.
    """
    passes = Passes(access=access, patience=patience or Patience())
    with _alone(access):
        forget_other_databases(access)
        passes.prepare(_runs(_TO_PREPARE, only))
        _verify(passes, only, at_once=at_once, wait_s=wait_s)
        if any("again" in run.verification and "plan" not in run.verification for run in _runs(_TO_VERIFY, only)):
            _verify(passes, only, at_once=at_once, wait_s=wait_s)
        if only is None:
            _after_restore(passes, at_once=at_once, again=again, wait_s=wait_s)
        _tidy(access)
    return passes.went


def prove_restored(access: Access, *, wait_s: float = 300.0) -> Went:
    """Prove what a restore brought back and its replay removed again, and nothing else. Raises: as prove_due."""
    passes = Passes(access=access, patience=Patience())
    with _alone(access):
        _after_restore(passes, at_once=True, again=True, wait_s=wait_s)
    return passes.went


def _after_restore(passes: Passes, *, at_once: bool, again: bool, wait_s: float) -> None:
    if again:
        look_again(passes.access)
    if not restorations_wait():
        return
    if not at_once and not is_open(timezone.now()):
        passes.went.waiting += 1
        return
    passes.after_restore(partial(prove_restorations, passes.access, wait_s=wait_s))


def _verify(passes: Passes, only: UUID | None, *, at_once: bool, wait_s: float) -> None:
    access = passes.access
    new = [run for run in _runs(_TO_VERIFY, only) if "plan" not in run.verification]
    if new and not at_once and not is_open(timezone.now()):
        unsaid = [run for run in new if run.verification.get("waits", {}).get("code") != WINDOW]
        waits(access, unsaid, state=RunState.VERIFYING, code=WINDOW)
        passes.went.waiting += len(new)
    elif new:
        touched = [(run, passes.tried(run, partial(tables_to_rewrite, run))) for run in new]
        ready = [run for run, tables in touched if tables is not None]
        tables = set[str]().union(*(tables for _, tables in touched if tables is not None))
        if ready:
            plan_batch(ready, access=access, tables=tables)
    batches: dict[str, list[RemovalRun]] = defaultdict(list)
    for run in _runs(_TO_VERIFY, only):
        if "plan" in run.verification and "physical" not in run.verification:
            batches[run.verification["batch"]].append(run)
    for batch in batches.values():
        if passes.patience.has(batch[0]):
            passes.tried_all(batch, partial(_forgotten, passes, batch, wait_s))
    passes.look(
        [run for run in _runs(_TO_VERIFY, only) if "physical" in run.verification and "scan" not in run.verification]
    )
    for run in _runs(_TO_VERIFY, only):
        if "scan" in run.verification:
            passes.end(run)


def _forgotten(passes: Passes, batch: list[RemovalRun], wait_s: float) -> tuple[()]:
    if not forget(batch, access=passes.access, wait_s=wait_s):
        passes.patience.lost(batch[0])
        passes.went.waiting += len(batch)
    return ()


def _runs(which: Q, only: UUID | None) -> list[RemovalRun]:
    """Those that were approved first, first; of all tenants."""
    with open_identity(Identity(all_tenants=True)):
        found = RemovalRun.objects.filter(which).order_by("approved_at", "id")
        places = list(found.filter(id=only) if only else found)
    rows: list[RemovalRun] = []
    for tenant_id in dict.fromkeys(each.tenant_id for each in places):
        with open_scope(tenant=TenantId(tenant_id), reason=REASON):
            rows += RemovalRun.objects.filter(id__in=[each.id for each in places if each.tenant_id == tenant_id])
    order = {each.id: number for number, each in enumerate(places)}
    return sorted(rows, key=lambda each: order[each.id])


def _tidy(access: Access) -> None:
    """Destroy needles that nobody needs any more: of runs that came to their end, whose process was killed then."""
    for tenant_id, run_id in safe.kept(access.home):
        with open_scope(tenant=TenantId(tenant_id), reason=REASON):
            needed = RemovalRun.objects.filter(id=run_id, state__in=_NEEDED, prepared_at__isnull=False).exists()
        if not needed and not is_needed(TenantId(tenant_id), run_id):
            safe.destroy(access.home, tenant_id=tenant_id, run_id=run_id)


@contextmanager
def _alone(access: Access) -> Iterator[None]:
    """Raises: ProverBusyError."""
    connection: Any
    with access.connect() as connection:
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", [advisory_key("proof of erasure")]).fetchone()
        if not row[0]:
            raise ProverBusyError
        yield
