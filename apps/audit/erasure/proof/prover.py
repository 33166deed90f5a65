"""Going on with every run that is to be proven, as glassbox_eraser, with the access of the server's administrator.

One process at a time: it holds a lock of the server's for as long as its connection lives, so that whoever is killed
leaves no trace of having been there. What each run has behind it stands in its row; every part can be repeated.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from apps.audit.erasure.contracts import Proof, RunState
from apps.audit.erasure.lease import REASON
from apps.audit.erasure.proof import safe
from apps.audit.erasure.proof.disk import forget, look, plan_batch, tables_to_rewrite
from apps.audit.erasure.proof.ending import end, fail
from apps.audit.erasure.proof.errors import NeedlesLostError, ProverBusyError
from apps.audit.erasure.proof.notes import waits
from apps.audit.erasure.proof.preparing import prepare
from apps.audit.erasure.proof.window import is_open
from apps.audit.models import RemovalRun
from apps.audit.residue.access import Access
from apps.errors import ApplicationError
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.audit")

CRASHED: Final = "audit.proof_crashed"
WINDOW: Final = "audit.proof_window"
# One that is to end without a physical proof is the engine's (erasure/unproven.py).
_TO_PREPARE: Final = Q(
    state=RunState.APPROVED, proof=Proof.PHYSICAL, prepared_at__isnull=True, unproven_agreed_by__isnull=True
)
_TO_VERIFY: Final = Q(state=RunState.VERIFYING, unproven_agreed_by__isnull=True)
_NEEDED: Final = (RunState.APPROVED, RunState.EXECUTING, RunState.VERIFYING, RunState.FAILED)


@dataclass(kw_only=True)
class Patience:
    """How long what failed is left alone, in one process: each of it reads all of the server's files."""

    first_s: float = 60.0
    longest_s: float = 3_600.0
    _until: dict[UUID, tuple[float, float]] = field(default_factory=dict)

    def has(self, run: RemovalRun) -> bool:
        return self._until.get(run.id, (0.0, 0.0))[0] <= time.monotonic()

    def lost(self, run: RemovalRun) -> None:
        wait_s = min(self.longest_s, 2 * self._until[run.id][1]) if run.id in self._until else self.first_s
        self._until[run.id] = (time.monotonic() + wait_s, wait_s)

    def found(self, run: RemovalRun) -> None:
        self._until.pop(run.id, None)


@dataclass(kw_only=True)
class Went:
    """What became of the runs: how many were prepared, ended (each state), and wait for another time."""

    prepared: int = 0
    ended: dict[RunState, int] = field(default_factory=dict)
    waiting: int = 0


def is_anything_due() -> bool:
    """Costs: one query, as glassbox_eraser."""
    with open_identity(Identity(all_tenants=True)):
        return bool(RemovalRun.objects.filter(_TO_PREPARE | _TO_VERIFY).exists())


def prove_due(
    access: Access,
    *,
    only: UUID | None = None,
    at_once: bool = False,
    patience: Patience | None = None,
    wait_s: float = 300.0,
) -> Went:
    """Prepare what was approved, and verify what counted zero: as far as each goes now.

    Args:   only: one run; None for all. at_once: also outside GLASSBOX_ERASURE_WINDOW.
            wait_s: how long older transactions are waited for.
    Raises: ProverBusyError; psycopg.OperationalError: the server does not answer.
    """
    patience = patience or Patience()
    went = Went()
    with _alone(access):
        for run in _runs(_TO_PREPARE, only):
            went.prepared += _tried(run, patience, went, access, lambda run: prepare(run, access=access))
        _verify(access, only, patience, went, at_once=at_once, wait_s=wait_s)
        _tidy(access)
    return went


def _verify(access: Access, only: UUID | None, patience: Patience, went: Went, *, at_once: bool, wait_s: float) -> None:
    new = [run for run in _runs(_TO_VERIFY, only) if "plan" not in run.verification]
    if new and not at_once and not is_open(timezone.now()):
        unsaid = [run for run in new if run.verification.get("waits", {}).get("code") != WINDOW]
        waits(access, unsaid, state=RunState.VERIFYING, code=WINDOW)
        went.waiting += len(new)
    elif new:
        tables = set[str]().union(*(tables_to_rewrite(run) for run in new))
        plan_batch(new, access=access, tables=tables)
    batches: dict[str, list[RemovalRun]] = defaultdict(list)
    for run in _runs(_TO_VERIFY, only):
        if "plan" in run.verification and "physical" not in run.verification:
            batches[run.verification["batch"]].append(run)
    for batch in batches.values():
        if patience.has(batch[0]) and not forget(batch, access=access, wait_s=wait_s):
            patience.lost(batch[0])
            went.waiting += len(batch)
    for run in _runs(_TO_VERIFY, only):
        if "physical" in run.verification:
            _tried(run, patience, went, access, lambda run: _looked_and_ended(run, access, went))


def _looked_and_ended(run: RemovalRun, access: Access, went: Went) -> None:
    if "scan" not in run.verification:
        try:
            look(run, access=access)
        except NeedlesLostError as error:
            fail(run, error.code)
            went.ended[RunState.FAILED] = went.ended.get(RunState.FAILED, 0) + 1
            return
    state = end(run, access=access)
    if state is not None:
        went.ended[state] = went.ended.get(state, 0) + 1


def _tried(run: RemovalRun, patience: Patience, went: Went, access: Access, work: Callable[[RemovalRun], None]) -> bool:
    """Do it, or note why not. One run's trouble keeps no other waiting."""
    if not patience.has(run):
        went.waiting += 1
        return False
    try:
        work(run)
    except Exception as error:  # noqa: BLE001 - it is written down, and tried again
        # Not its message: a database's may quote a row.
        code = error.code if isinstance(error, ApplicationError) else CRASHED
        logger.error("the proof of removal run %s waits: %s", run.id, type(error).__name__)  # noqa: TRY400
        patience.lost(run)
        went.waiting += 1
        waits(access, [run], state=RunState(run.state), code=code)
        return False
    patience.found(run)
    return True


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
        if not needed:
            safe.destroy(access.home, tenant_id=tenant_id, run_id=run_id)


@contextmanager
def _alone(access: Access) -> Iterator[None]:
    """Raises: ProverBusyError."""
    connection: Any
    with access.connect() as connection:
        row = connection.execute("SELECT pg_try_advisory_lock(hashtext('glassbox proof of erasure'))").fetchone()
        if not row[0]:
            raise ProverBusyError
        yield
