"""Runs with a physical proof in tests: letters about people, the prover in this process, certificates.

settings.GLASSBOX_PHYSICAL_ORIGINS = {"request"}
run = approved(acme, [letter(acme, ZOE)])
verified(acme, run, access)
certificate = issued(acme)
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg
from django.conf import settings

from apps.audit.certificate.issuing import issue_tenant
from apps.audit.erasure.contracts import RunState, Target, TargetType
from apps.audit.erasure.proof.prover import Went, prove_due
from apps.audit.ids import new_id
from apps.audit.models import Certificate, RemovalRun
from apps.audit.residue.access import Access, access_from_settings
from apps.audit.residue.wal_turnover import turn_over_wal
from apps.corpus.models import Chunk, Document, Page, Posting, SourceFile
from apps.tenants.context import open_scope
from tests.audit.acting import as_worker, checkpointed, sealed
from tests.audit.mutations import acting_as
from tests.audit.removing import again, carried_out, expire
from tests.factories import Firm

ZOE: Final = "Zoë Brzęczyszczykiewicz-Øster"


def text_about(name: str) -> str:
    return f"Mrs. {name} <{name.split()[0].lower()}@bluewhale.example> complains of the fees, account 4711-{len(name)}. " * 3


def own_access(home: Path) -> Access:
    """The suite's server, of which only this database is looked through, with a state folder of its own."""
    found = access_from_settings(redis_match=f"*{settings.TEST_DATABASE}*", whole_server=False)
    access = replace(found, home=home, folders=())
    # The suite's server keeps gigabytes of WAL, of which only what follows concerns a test.
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
    sealed(firm)
    for _ in range(4):
        expire(firm, run)
        if carried_out(firm, run) is RunState.VERIFYING:
            return
        sealed(firm)
    raise AssertionError(f"it is {again(firm, run).state}, {again(firm, run).error_code}")


def verified(firm: Firm, run: RemovalRun, access: Access) -> RemovalRun:
    """Brought to its end."""
    counted_zero(firm, run, access)
    proved(access)
    return again(firm, run)


def issued(firm: Firm) -> list[Certificate]:
    """What the sealer and the worker do then. Returns: all certificates of the firm, the first one first."""
    sealed(firm)
    checkpointed(firm)
    with as_worker():
        issue_tenant(firm.id)
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Certificate.objects.order_by("number"))


def as_administrator(statement: str, *values: object) -> None:
    with ExitStack() as stack:
        found = access_from_settings(whole_server=False)
        connection: psycopg.Connection[Any] = stack.enter_context(found.connect())
        connection.execute(statement.encode(), values)
