"""The proof of a run in words: which part is behind it, what the next one waits for, what the scan found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings

from apps.erasure.admin.removals.words import UNPROVEN
from apps.erasure.contracts import Proof, RunState
from apps.erasure.models import Certificate, RemovalRun
from config.services import ServiceName

_WAITS: Final[Mapping[str, str]] = {
    "audit.proof_control": "The control did not find everything that is there, so a scan would prove nothing. "
    "Nothing has been removed. It is tried again automatically.",
    "audit.proof_physical": "Not everything could be rewritten: {steps}. It is tried again automatically.",
    "audit.proof_again": "The first scan found something on the disk. Tables and WAL are rewritten and searched once "
    "more, except for what others wrote since the preparation.",
    "audit.proof_window": "Waits for the hours in which tables may be rewritten: {window} UTC.",
    "audit.proof_crashed": "Something unexpected happened; the process's own log has the details. It is tried again.",
}
_HERE: Final = "Glassbox does this automatically within seconds. From a shell: manage.py erasure physical."
_ELSEWHERE: Final = (
    "Waits for the physical phase: run manage.py erasure physical, where ADMIN_DATABASE_URL names the server's "
    "administrator. No process of Glassbox has that access, so none does it automatically."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """tone: of a pill. said: what there is to say of it."""

    label: str
    state: str
    tone: str
    said: str


def proof_parts(run: RemovalRun, certificates: Sequence[Certificate]) -> list[Part]:
    """The parts of a physical proof, in their order; none for a run that counts prove, or that was not approved."""
    if run.proof != Proof.PHYSICAL or run.state in (RunState.PROPOSED, RunState.REJECTED):
        return []
    found: Mapping[str, Any] = run.verification
    if run.is_unproven:
        return [_without(run), _certificate(run, certificates)]
    is_over = run.state in (RunState.COMPLETED, RunState.PARTIALLY_COMPLETED)
    verifying = run.state == RunState.VERIFYING
    return [
        _control(run, found),
        _part(
            "Every store counts zero",
            done=verifying or is_over,
            now=run.state == RunState.EXECUTING,
            said="See below, store by store.",
        ),
        _part(
            "The removed data cleared from the disk",
            done="physical" in found,
            now=verifying and "physical" not in found,
            said=_physical(found, verifying=verifying),
        ),
        _scan(run, found),
        _certificate(run, certificates),
    ]


def _without(run: RemovalRun) -> Part:
    """That two people have agreed to do without."""
    why = UNPROVEN.get(run.unproven_code, run.unproven_code)
    said = f"Physical phase and scan are not made: {why}. Every store counts zero at the end; the disk is not searched."
    return Part(label="Physical proof", state="Not made", tone="warn", said=said)


def _certificate(run: RemovalRun, certificates: Sequence[Certificate]) -> Part:
    is_over = run.state in (RunState.COMPLETED, RunState.PARTIALLY_COMPLETED)
    return _part(
        "Certificate",
        done=is_over and len(certificates) >= len(run.end_events),
        now=is_over,
        said="Signed, and linked above." if is_over and certificates else "Signed within about a minute of the end.",
    )


def residue_of(run: RemovalRun) -> list[dict[str, Any]]:
    """Where the scan found something, by code: no content."""
    if run.state != RunState.FAILED:
        return []
    hits: list[dict[str, Any]] = run.verification.get("scan", {}).get("hits", [])
    return hits


def _control(run: RemovalRun, found: Mapping[str, Any]) -> Part:
    done = run.prepared_at is not None
    told = found.get("control", {})
    said = (
        f"{told['found']:,} of {told['sources']:,} samples were found in their places, and {told['planted_found']:,} "
        f"of {told['planted']:,} planted ones."
        if told
        else _waiting(found)
    )
    return _part("Control before anything is removed", done=done, now=not done, said=said)


def _physical(found: Mapping[str, Any], *, verifying: bool) -> str:
    if "physical" in found:
        tables = sum(step["key"].startswith("table:") for step in found["physical"]["steps"])
        return f"{tables} tables, statistics and the write-ahead log were rewritten."
    return _waiting(found) if verifying else "After the last store."


def _scan(run: RemovalRun, found: Mapping[str, Any]) -> Part:
    told = found.get("scan")
    if told is None:
        now = run.state == RunState.VERIFYING and "physical" in found
        return _part("Looked for everywhere", done=False, now=now, said="At last." if not now else _waiting(found))
    places = sum(each["places"] for each in told["places"])
    said = f"{told['sources']:,} samples in {len(told['by_encoding'])} encodings, searched for in {places:,} places."
    if told["clean"] and found.get("standing"):
        state = "Nothing found, except for names that still appear"
        return Part(label="Looked for everywhere", state=state, tone="warn", said=f"{said} The names are listed above.")
    if told["clean"]:
        return Part(label="Looked for everywhere", state="Nothing found", tone="good", said=said)
    return Part(label="Looked for everywhere", state="Found", tone="bad", said=said)


def _part(label: str, *, done: bool, now: bool, said: str) -> Part:
    state, tone = ("Done", "good") if done else ("Under way or next", "busy") if now else ("Later", "quiet")
    return Part(label=label, state=state, tone=tone, said=said)


def _waiting(found: Mapping[str, Any]) -> str:
    told = found.get("waits", {})
    words = _WAITS.get(told.get("code", ""), f"Waits: {told['code']}." if told else "")
    filled = words.format(steps=", ".join(told.get("steps", ())), window=settings.GLASSBOX_ERASURE_WINDOW)
    return filled or (_HERE if ServiceName.POSTGRES in settings.GLASSBOX_EMBEDDED_SERVICES else _ELSEWHERE)
