"""What became of an erasure after the database was put back, in words: for the pages of who works on privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from apps.erasure.certificate.after_restore import restored_line
from apps.erasure.certificate.restored import AWAITING, restored_statement
from apps.erasure.models import Restoration, RestorationState, Supplement
from apps.tenants.display import pill

_TONES: Final[Mapping[RestorationState, str]] = {
    RestorationState.REMOVING: "busy",
    RestorationState.UNTOUCHED: "good",
    RestorationState.AWAITING: "warn",
    RestorationState.PROVED: "good",
    RestorationState.FAILED: "bad",
    RestorationState.UNPROVEN: "warn",
}
_WHY: Final[Mapping[str, str]] = {
    AWAITING: "The disk has not been searched since then: run manage.py erasure physical --now.",
    "no_administrator": "The restore did not have the access of the database server's administrator, so the search "
    "of the disk could not be prepared.",
    "control": "The control did not find everything that had come back, so a scan would prove nothing.",
    "not_prepared": "The search could not be prepared; the log of the restore says why.",
    "held": "A legal hold keeps what came back. Once it is released, manage.py restore --replay removes it.",
    "audit.proof_residue": "Something of it was found on the disk, at the places below. Clear them, and run "
    "manage.py erasure physical --now: everything is searched again.",
    "audit.proof_needles_lost": (
        "The list of what to search for is lost: nobody can prove any more that nothing is left."
    ),
}
_MOST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """said: of one erasure, or of all that are concerned. hits: where a scan found something, by code."""

    row: Restoration
    state: str
    said: str
    why: str
    hits: list[Mapping[str, Any]]
    supplements: Sequence[Supplement]


def restored_of_run(run_id: UUID | None, origin_id: UUID | None = None) -> list[Restored]:
    """What restores did to one erasure, the newest first: by its run, or by what it was proposed for."""
    wanted = Q()
    wanted |= Q(runs__contains=[{"run": str(run_id)}]) if run_id else Q()
    wanted |= Q(runs__contains=[{"origin_id": str(origin_id)}]) if origin_id else Q()
    rows = Restoration.objects.filter(wanted).prefetch_related("supplements") if wanted else ()
    found = []
    for row in rows:
        named = {str(run_id)} if run_id else set()
        runs = [run for run in row.runs if run["run"] in named or (origin_id and run["origin_id"] == str(origin_id))]
        found.append(_shown(row, " ".join(_line(row, run) for run in runs)))
    return found


def every_restored() -> list[Restored]:
    """Each restore, with what it means for all erasures of before together."""
    rows = Restoration.objects.prefetch_related("supplements")[:_MOST]
    return [_shown(row, _summed(row)) for row in rows]


def _line(row: Restoration, run: Mapping[str, Any]) -> str:
    if row.state == RestorationState.REMOVING:
        return f"Restored on {row.restored_at:%Y-%m-%d}; being removed again."
    return restored_line(restored_statement(row), run)


def _summed(row: Restoration) -> str:
    back = sum(bool(run["came_back"]) for run in row.runs)
    kept = sum(bool(run["kept"]) for run in row.runs)
    concerned = f"{len(row.runs)} erasure{'' if len(row.runs) == 1 else 's'} made before"
    held = f"; of {kept}, a legal hold keeps some" if kept else ""
    return f"{concerned}: {f'{back} came back and were removed again' if back else 'nothing came back'}{held}."


def _shown(row: Restoration, said: str) -> Restored:
    state = RestorationState(row.state)
    is_proved = state in (RestorationState.PROVED, RestorationState.UNTOUCHED, RestorationState.REMOVING)
    why = "" if is_proved else _WHY.get(row.error_code or AWAITING, row.error_code)
    return Restored(
        row=row,
        state=pill(state.label, _TONES[state]),
        said=said,
        why=why,
        hits=row.verification.get("scan", {}).get("hits", [])[:_MOST] if state is RestorationState.FAILED else [],
        supplements=list(row.supplements.all()),
    )
