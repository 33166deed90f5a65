"""Runs with a physical proof in tests: letters about people, the prover in this process, certificates.

settings.GLASSBOX_PHYSICAL_ORIGINS = {"request"}
run = approved(acme, [letter(acme, ZOE)])
counted_zero(acme, run, access)
proved(access)
certificate = issued(acme)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg
from django.conf import settings
from django.test import override_settings
from psycopg.types.json import Jsonb

from apps.audit.ids import new_id
from apps.corpus.models import Chunk, Document, Page, Posting, SourceFile
from apps.erasure.certificate.issuing import issue_tenant
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.models import Certificate, RemovalRun
from apps.erasure.proof import safe
from apps.erasure.proof.ending import end
from apps.erasure.proof.gathering import Gathered
from apps.erasure.proof.passes import Went
from apps.erasure.proof.prover import prove_due
from apps.erasure.residue.access import Access, access_from_settings
from apps.erasure.residue.needles import make_needles
from apps.erasure.residue.wal_turnover import turn_over_wal
from apps.tenants.context import open_scope
from tests.audit.acting import as_worker, checkpointed, sealed
from tests.audit.mutations import acting_as
from tests.audit.removing import Redacted, again, approved, asked, carried_out, expire
from tests.factories import Firm
from tests.own import OWN

ZOE: Final = f"Zoë Brzęczyszczykiewicz{OWN}-Øst"


def text_about(name: str) -> str:
    own = f"{OWN}{len(name)}"
    said = f"{name} <{name.split()[0].lower()}@{OWN}.example> complains {own} of the fees, account {own}"
    return " ".join(f"{number} {own} Mrs. {said}." for number in (1, 2, 3))


def own_access(home: Path, *, turned_over: bool = True) -> Access:
    """The suite's server, of which only this database is looked through, with a state folder of its own.

    turned_over: its WAL is, so that a scan does not read gigabytes of other tests.
    """
    found = access_from_settings(redis_match=f"*{settings.TEST_DATABASE}*", whole_server=False)
    access = replace(found, home=home, folders=())
    if turned_over:
        assert turn_over_wal(access) == ""
    return access


def letter(firm: Firm, name: str) -> Target:
    """A document about somebody, with a page, a passage, terms and its file."""
    number, text = new_id(), text_about(name)
    with open_scope(tenant=firm.id, reason="a test"):
        document = Document.objects.create(
            tenant_id=firm.id,
            scope=firm.scopes["fund:alpha"],
            kind="run",
            title=f"Complaint of {name}",
            slug=f"complaint-{number}",
            series_id=number,
            filename=f"{name}.md",
            byte_size=len(text),
            content_sha256="0" * 64,
        )
        of: dict[str, Any] = {"tenant_id": firm.id, "scope_id": document.scope_id, "document": document}
        Page.objects.create(**of, number=1, text=text)
        Chunk.objects.create(
            **of,
            kind="run",
            number=1,
            text=text,
            page_start=1,
            page_end=1,
            char_start=0,
            char_end=len(text),
            token_count=40,
            content_sha256="0" * 64,
        )
        Posting.objects.create(
            **of,
            kind="run",
            term=name.split()[-1].lower(),
            chunk_numbers=[1],
            term_frequencies=[3],
            chunk_term_counts=[40],
        )
        SourceFile.objects.create(**of, content=text.encode())
    return Target(type=TargetType.DOCUMENT, id=document.id)


def proved(access: Access, *, only: UUID | None = None, at_once: bool = True) -> Went:
    """One look of the prover, as glassbox_eraser in this process."""
    with acting_as("glassbox_eraser"):
        return prove_due(access, only=only, at_once=at_once, wait_s=10)


def counted_zero(firm: Firm, run: RemovalRun, access: Access) -> None:
    """Prepared, and carried out until every store counts zero."""
    proved(access)
    removed(firm, run)


def looked_at(firm: Firm, run: RemovalRun) -> RunState | None:
    """Ended as after a clean scan, without one."""
    noted(run, physical=PHYSICAL, scan=SCAN)
    with acting_as("glassbox_eraser"):
        return end(run, access=access_from_settings(whole_server=False))


def issued(firm: Firm) -> list[Certificate]:
    """What the sealer and the worker do then. Returns: all certificates of the firm, the first one first."""
    sealed(firm)
    checkpointed(firm)
    with as_worker():
        issue_tenant(firm.id)
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Certificate.objects.order_by("number"))


def as_administrator(statement: str, *values: object) -> None:
    connection: psycopg.Connection[Any]
    with access_from_settings(whole_server=False).connect() as connection:
        connection.execute(statement.encode(), values)


NEEDLES: Final[dict[str, Any]] = {
    "digest": "0" * 64,
    "sources": 3,
    "patterns": 40,
    "by_sort": {"text": 1, "id": 2},
    "by_encoding": {"utf-8": 20, "hex": 20},
    "left_out": {},
    "targets": 1,
    "targets_sampled": 1,
}
CONTROL: Final = {"proves": True, "sources": 3, "found": 3, "planted": 90, "planted_found": 90}
PHYSICAL: Final = {"complete": True, "steps": [{"key": "wal", "elapsed_ms": 5}], "unreachable": [], "server": "18"}
SCAN: Final[dict[str, Any]] = {
    "clean": True,
    "sources": 3,
    "patterns": 40,
    "by_encoding": {"utf-8": 20, "hex": 20},
    "left_out": {},
    "size_bytes": 10,
    "elapsed_ms": 5,
    "places": [{"group": "heap", "places": 1, "size_bytes": 10}],
    "hits": [],
    "unreachable": ["memory of running processes"],
}


def noted(run: RemovalRun, *, prepared: bool = False, **found: object) -> None:
    """What control, physical phase and scan write into a run's row, without any of them."""
    as_administrator(
        "UPDATE audit_removalrun SET verification = verification || %s, "
        "prepared_at = CASE WHEN %s THEN now() ELSE prepared_at END WHERE id = %s",
        Jsonb(found),
        prepared,
        run.id,
    )


def prepared_by_hand(run: RemovalRun, home: Path) -> None:
    """As after the control: one made-up text is looked for, which is nowhere any more."""
    found = make_needles(texts=[f"made up for {run.id} alone"])
    safe.keep(
        home, Gathered(needles=found, targets=(), of=(-1,) * len(found.sources)), tenant_id=run.tenant_id, run_id=run.id
    )
    noted(run, prepared=True, control=CONTROL, needles=NEEDLES, standing=[])


def removed(firm: Firm, run: RemovalRun) -> None:
    """Carried out until every store counts zero."""
    sealed(firm)
    for _ in range(4):
        expire(firm, run)
        if carried_out(firm, run) is RunState.VERIFYING:
            return
        sealed(firm)
    raise AssertionError(f"it is {again(firm, run).state}, {again(firm, run).error_code}")


def ending(
    firm: Firm,
    targets: Sequence[Target] = (),
    *,
    redacted: Sequence[Redacted] = (),
    standing: Sequence[dict[str, Any]] = (),
) -> RemovalRun:
    """A run that wants nothing but its end, without a look at the disk."""
    with override_settings(GLASSBOX_PHYSICAL_ORIGINS=frozenset({"request"})):
        run = approved(firm, targets or asked(firm), redacted=redacted)
    noted(run, prepared=True, control=CONTROL, needles=NEEDLES, standing=list(standing))
    removed(firm, run)
    noted(run, physical=PHYSICAL, scan=SCAN)
    return again(firm, run)


def certified(
    firm: Firm,
    targets: Sequence[Target] = (),
    *,
    redacted: Sequence[Redacted] = (),
    standing: Sequence[dict[str, Any]] = (),
) -> Certificate:
    """The certificate of a run without a look at the disk: for what is made of certificates."""
    run = ending(firm, targets, redacted=redacted, standing=standing)
    assert looked_at(firm, run) is not None
    return issued(firm)[-1]
