"""How long it takes to erase one subject, and one large document, from a large tenant.

    python -m tests.benchmarks.erasure [--quick] [--json] [--chunks N] [--large M] [--no-search]

One tenant of N passages in documents of 500, each with a page, a random vector of 384 numbers and ten terms; 200
answered questions in the log, a tenth of which found the subject. The subject is in ten documents of 20 passages;
one more document has M passages. Everything goes the way that it goes in earnest: found (people/search.py) and counted
by every store as a DPO, proposed, approved by another person, and carried out as glassbox_eraser, store by store, until
each counts zero. It is a script and no test: it prints seconds and never fails. It joins the suite's PostgreSQL or
starts it, and drops its database at the end. The physical phase is measured by erasure_physical.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

CHUNKS = 100_000
QUICK = 400
LARGE = 5_000
OF_DOCUMENT = 500
SUBJECT_DOCUMENTS, SUBJECT_CHUNKS = 10, 20
QUESTIONS = 200

# Parameters: tenant, scope, and as many documents as there are ids, of so many chunks each.
_DOCUMENTS = """
INSERT INTO corpus_document (id, tenant_id, scope_id, kind, title, slug, document_type, source_type, company, ticker,
    language, jurisdictions, external_id, series_id, version, status, error_code, error_detail, warnings, filename,
    media_type, byte_size, content_sha256, page_count, chunk_count, term_count, created_at)
SELECT t.id, %(tenant)s, %(scope)s, 'run', 'Report ' || t.id, 'report-' || t.id, 'other', 'internal', '', '', 'en',
    '{}', '', t.id, 1, 'ready', '', '', '[]', 'report.pdf', 'application/pdf', 0, '', %(each)s, %(each)s,
    %(each)s * 10, now()
FROM unnest(%(ids)s::uuid[]) AS t (id)
"""
_FILES = """
INSERT INTO corpus_sourcefile (tenant_id, scope_id, document_id, content)
SELECT %(tenant)s, %(scope)s, t.id, decode(repeat('00', %(each)s * 100), 'hex') FROM unnest(%(ids)s::uuid[]) AS t (id)
"""
_PAGES = """
INSERT INTO corpus_page (tenant_id, scope_id, document_id, number, text, extracted)
SELECT %(tenant)s, %(scope)s, t.id, n, repeat('The committee discussed liquidity and fees at length. ', 15)
    || %(words)s, true
FROM unnest(%(ids)s::uuid[]) AS t (id), generate_series(1, %(each)s) AS n
"""
_CHUNKS = """
INSERT INTO corpus_chunk (tenant_id, scope_id, document_id, kind, is_parent, number, text, context_header, page_start,
    page_end, char_start, char_end, sec_item, section, token_count, term_count, content_sha256)
SELECT %(tenant)s, %(scope)s, t.id, 'run', false, n,
    repeat('The committee discussed liquidity and fees at length. ', 15)
    || %(words)s, '', n, n, 0, 800, '', '', 150, 10, ''
FROM unnest(%(ids)s::uuid[]) AS t (id), generate_series(1, %(each)s) AS n
"""
_VECTORS = """
INSERT INTO corpus_embedding384 (tenant_id, scope_id, document_id, kind, model, chunk_id, vector)
SELECT c.tenant_id, c.scope_id, c.document_id, c.kind, 'random', c.id,
    ARRAY(SELECT random() + 0 * c.number FROM generate_series(1, 384))::real[]::vector::halfvec
FROM corpus_chunk c WHERE c.document_id = ANY (%(ids)s::uuid[])
"""
_POSTINGS = """
INSERT INTO corpus_posting (tenant_id, scope_id, document_id, kind, term, chunk_numbers, term_frequencies,
    chunk_term_counts)
SELECT %(tenant)s, %(scope)s, t.id, 'run', 'term' || g, array_agg(n), array_agg(1), array_agg(10)
FROM unnest(%(ids)s::uuid[]) AS t (id), generate_series(1, %(each)s) AS n, LATERAL (
    SELECT DISTINCT (n * 7919 + k * 104729) %% 2000 AS g FROM generate_series(1, 10) AS k) AS terms
GROUP BY t.id, g
"""
_ALL = (_DOCUMENTS, _FILES, _PAGES, _CHUNKS, _VECTORS, _POSTINGS)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.erasure", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="passages of the tenant, but for the large document")
    parser.add_argument("--large", type=int, default=LARGE, help="passages of the large document")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:,} passages: times say nothing")
    parser.add_argument("--no-search", action="store_true", help="do not search for the person")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "erasure"
    import django

    django.setup()
    sizes = (QUICK, 40) if options.quick else (options.chunks, options.large)
    report = run(*sizes, search=not options.no_search)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    lines = [f"{report['chunks']:,} passages, written in {report['loading_s']:.1f} s"]
    for name in ("subject", "large"):
        part = report[name]
        lines += ["", f"{part['what']}: {part['state']}", f"{'':<42}{'seconds':>9}{'items':>10}{'a second':>10}"]
        for step in (*part["steps"], *part["stores"]):
            rate = f"{step['items'] / step['seconds']:>10,.0f}" if step["items"] and step["seconds"] > 0 else ""
            lines.append(f"{step['name']:<42}{step['seconds']:>9.2f}{step['items']:>10,}{rate}")
        lines.append(f"left afterwards, asked of every store: {part['left']:,}")
    return "\n".join(lines)


def run(chunks: int, large: int, *, search: bool = True) -> dict[str, Any]:
    from tests.benchmarks.wall_databases import Databases, start_services

    start_services()
    with Databases() as databases:
        return _measured(databases.make("erasure"), chunks, large, search=search)


def _measured(database: str, chunks: int, large: int, *, search: bool) -> dict[str, Any]:
    from django.db import connections

    from tests.benchmarks.wall_databases import WALLED_ROLE, connect
    from tests.factories import make_firm

    ordinary, walled = connections["default"], connect(database, WALLED_ROLE)
    connections["default"] = walled
    try:
        firm = make_firm()
        began = perf_counter()
        _load(database, firm, _ids(chunks // OF_DOCUMENT or 1), min(OF_DOCUMENT, chunks))
        named = _ids(SUBJECT_DOCUMENTS)
        _load(database, firm, named, SUBJECT_CHUNKS, words="Quirin Zaunkoenig agreed.")
        one = _ids(1)
        _load(database, firm, one, large)
        with_statistics(database)
        loading = perf_counter() - began
        _ask(firm, named)
        return {
            "chunks": chunks,
            "loading_s": loading,
            "subject": _erased(firm, named, f"One subject in {len(named)} documents", search=search),
            "large": _erased(firm, one, f"One document of {large:,} passages", search=False),
        }
    finally:
        walled.close()
        connections["default"] = ordinary


def with_statistics(database: str) -> None:
    """As autovacuum leaves it."""
    from tests.benchmarks.wall_databases import superuser

    with superuser(database) as connection:
        connection.execute("VACUUM ANALYZE")


def _ids(count: int) -> list[Any]:
    from apps.audit.ids import new_id

    return [new_id() for _ in range(count)]


def _load(database: str, firm: Any, ids: list[Any], each: int, *, words: str = "") -> None:
    from tests.benchmarks.wall_databases import superuser

    given = {"tenant": firm.id, "scope": firm.scopes["fund:alpha"].id, "each": each, "words": words}
    with superuser(database) as connection:
        for start in range(0, len(ids), 20):
            for statement in _ALL:
                connection.execute(statement, {**given, "ids": ids[start : start + 20]})


def _ask(firm: Any, named: list[Any]) -> None:
    """Answered questions, sealed; every tenth found a document of the subject."""
    from apps.audit.services import record
    from apps.tenants.context import open_scope
    from tests.audit.acting import sealed
    from tests.audit.forging import ANSWERED

    for number in range(QUESTIONS):
        document = named[number // 10 % len(named)] if number % 10 == 0 else _ids(1)[0]
        hits = [{"rank": 1, "chunk_id": str(_ids(1)[0]), "document_id": str(document), "kind": "run"}]
        with open_scope(tenant=firm.id, reason="a benchmark"):
            record(
                action=ANSWERED,
                core={"intent": "x"},
                question={"length_chars": 9},
                answer={"grounding": "x"},
                passages={"hits": hits},
                scopes=firm.scope_ids("fund:alpha"),
            )
    sealed(firm)


def _erased(firm: Any, ids: list[Any], what: str, *, search: bool) -> dict[str, Any]:
    from apps.audit.erasure.contracts import Origin, Target, TargetType
    from apps.audit.erasure.registry import stores_for
    from apps.audit.erasure.runs import run_approve, run_propose
    from apps.audit.models import RemovalStep
    from apps.corpus.people.contracts import PersonDescription, PersonName
    from apps.corpus.people.search import person_search
    from apps.tenants.context import open_scope
    from apps.tenants.roles import Role
    from tests.audit.removing import REASON, person
    from tests.factories import as_

    steps: list[dict[str, Any]] = []
    targets = [Target(type=TargetType.DOCUMENT, id=id) for id in ids]
    dora, rita = person(firm, "dora-acme", Role.DPO), person(firm, "rita-acme", Role.REVIEWER)

    def counted() -> int:
        return sum(store.count(targets) for store in stores_for(TargetType.DOCUMENT))

    with as_(dora):
        if search:
            with _timed(steps, "finding the person in every text") as told:
                known = PersonDescription(names=(PersonName(given="Quirin", family="Zaunkoenig"),))
                told(sum(len(hit.mentions) for hit in person_search(person=known)))
        with _timed(steps, "counting in every store") as told:
            told(counted())
        with _timed(steps, "proposing: freezing the targets") as told:
            run = run_propose(Origin.REQUEST, _ids(1)[0], targets, REASON)
            told(len(targets))
    with as_(rita), _timed(steps, "approving: restricting the documents") as told:
        run_approve(run.id)
        told(len(targets))
    with _timed(steps, "carrying out, with sealing and waiting") as told:
        state = _carried_out(firm, run)
        with open_scope(tenant=firm.id, reason="a benchmark"):
            rows = list(RemovalStep.objects.filter(run=run, removed__gt=0))
            left = counted()
        told(sum(row.removed for row in rows))
    took = {row.store: (row.finished_at - row.started_at).total_seconds() for row in rows}
    stores = [{"name": f"  {row.store}", "seconds": took[row.store], "items": row.removed} for row in rows]
    return {"what": what, "state": state, "steps": steps, "stores": stores, "left": left}


def _carried_out(firm: Any, run: Any) -> str:
    from apps.audit.erasure.contracts import RunState
    from apps.audit.erasure.lease import EnginePolicy
    from tests.audit.acting import sealed
    from tests.audit.removing import carried_out

    state = None
    for _ in range(10):
        state = carried_out(firm, run, EnginePolicy(wait_seconds=0.0, retry_seconds=0.0))
        if state is not RunState.EXECUTING:
            break
        sealed(firm)
    return str(state)


@contextmanager
def _timed(steps: list[dict[str, Any]], name: str) -> Iterator[Callable[[int], None]]:
    """Yields: what takes the number of items that the step was about."""
    line: dict[str, Any] = {"name": name, "items": 0}

    def told(items: int) -> None:
        line["items"] = items

    began = perf_counter()
    yield told
    line["seconds"] = perf_counter() - began
    steps.append(line)


if __name__ == "__main__":
    main()
