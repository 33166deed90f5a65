"""How long it takes to find a person in a large tenant, and how much of what is there is found.

    python -m tests.benchmarks.people_search [--quick] [--json] [--pages N]

One tenant with documents of 500 pages, half of them English and half German, of about 1,000 characters each: words by
Zipf's law out of 60,000 made-up ones, sentences of the tests' corpus with people of similar names, and a chunk a page
with its header. One page in a hundred names one of the four people. The worker's way: the whole
tenant in the system's scope, under the policies, through all sources that are registered. It is a script and no test:
it prints `met` or `missed` without ever failing. `--quick` is a smoke run. It joins the suite's PostgreSQL or starts
it, and drops its database at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Iterator, Sequence
from itertools import accumulate
from time import perf_counter, process_time
from typing import Any

PAGES = 100_000
QUICK = 1_000
AIM_S = 60.0
DOCUMENT_PAGES = 500
WORDS = 60_000
EVERY = 100  # pages: one of them names somebody

_DOCUMENTS = """
INSERT INTO corpus_document (id, tenant_id, scope_id, kind, title, slug, document_type, source_type, company, ticker,
    language, jurisdictions, external_id, series_id, version, status, error_code, error_detail, warnings, filename,
    media_type, byte_size, content_sha256, page_count, chunk_count, term_count, created_at)
SELECT t.id, %s, %s, 'run', 'Report ' || t.id, 'report-' || t.id, 'other', 'internal', '', '', 'en', '{}', '', t.id, 1,
    'ready', '', '', '[]', 'report.pdf', 'application/pdf', 0, '', %s, %s, 0, now()
FROM unnest(%s::uuid[]) AS t (id)
"""
_PAGES = """
INSERT INTO corpus_page (tenant_id, scope_id, document_id, number, text, extracted)
SELECT %s, %s, %s, t.number, t.text, true FROM unnest(%s::int[], %s::text[]) AS t (number, text)
"""
_CHUNKS = """
INSERT INTO corpus_chunk (tenant_id, scope_id, document_id, kind, is_parent, number, text, context_header, page_start,
    page_end, char_start, char_end, sec_item, section, token_count, content_sha256)
SELECT %s, %s, %s, 'run', false, t.number, t.text, 'Report · Section ' || t.number / 20 || ' · page ' || t.number,
    t.number, t.number, 0, length(t.text), '', 'Section ' || t.number / 20, 1, ''
FROM unnest(%s::int[], %s::text[]) AS t (number, text)
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.people_search", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--pages", type=int, default=PAGES, help="how many pages, and chunks")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:,} pages: times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "people"
    import django

    django.setup()
    report = run(QUICK if options.quick else options.pages)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    lines = [f"{report['pages']:,} pages of {report['characters'] / report['pages']:,.0f} characters", ""]
    lines += [f"{'':<28}{'seconds':>9}{'of it CPU':>11}{'hits':>9}{'certain':>9}{'planted, found':>16}"]
    lines += [
        f"{line['person']:<28}{line['seconds']:>9.1f}{line['cpu_seconds']:>11.1f}{line['mentions']:>9,}{line['certain']:>9,}"
        f"{line['found']:>10,} of {line['planted']:,}"
        for line in report["lines"]
    ]
    verdict = "met" if all(line["seconds"] < AIM_S for line in report["lines"]) else "missed"
    return "\n".join([*lines, "", f"aim: under {AIM_S:g} s: {verdict}"])


def run(pages: int) -> dict[str, Any]:
    from tests.benchmarks.wall_databases import Databases, start_services

    start_services()
    with Databases() as databases:
        return _measured(databases.make("people"), pages)


def _measured(database: str, pages: int) -> dict[str, Any]:
    from django.db import connections

    from tests.benchmarks.wall_databases import WALLED_ROLE, connect
    from tests.corpus.people_corpus import SUBJECTS
    from tests.factories import make_firm

    ordinary, walled = connections["default"], connect(database, WALLED_ROLE)
    connections["default"] = walled
    try:
        firm = make_firm()
        planted, characters = _load(firm, pages)
        lines = [_searched(firm, subject, planted[number]) for number, subject in enumerate(SUBJECTS)]
    finally:
        walled.close()
        connections["default"] = ordinary
    return {"pages": pages, "characters": characters, "lines": lines}


def _load(firm: Any, pages: int) -> tuple[list[set[tuple[str, int]]], int]:
    """Write the tenant. Returns: for each subject, document and page of every mention, and the characters in all."""
    from django.db import connection

    from apps.audit.ids import new_id
    from apps.tenants.context import open_scope
    from tests.corpus.people_corpus import SUBJECTS

    texts = _texts(random.Random(7))
    planted: list[set[tuple[str, int]]] = [set() for _ in SUBJECTS]
    scope = firm.scopes["fund:alpha"].id
    characters = 0
    for first in range(0, pages, DOCUMENT_PAGES):
        count = min(DOCUMENT_PAGES, pages - first)
        document = new_id()
        numbers, written = list(range(1, count + 1)), []
        for number in numbers:
            text, subject = next(texts)
            written.append(text)
            characters += len(text)
            if subject is not None:
                planted[subject].add((str(document), number))
        with open_scope(tenant=firm.id, reason="a benchmark"), connection.cursor() as cursor:
            cursor.execute(_DOCUMENTS, [firm.id, scope, count, count, [document]])
            cursor.execute(_PAGES, [firm.id, scope, document, numbers, written])
            cursor.execute(_CHUNKS, [firm.id, scope, document, numbers, written])
    return planted, characters


def _texts(random_: random.Random) -> Iterator[tuple[str, int | None]]:
    """Pages without end, and whom of the subjects each names."""
    from tests.corpus.people_corpus import ENGLISH, GERMAN, SUBJECTS, exact_forms

    syllables = "an ber dor el fin ga hau is jo kel lan mer nor ost per qui ris sen tal ung ver wes zig".split()  # noqa: SIM905
    words = [
        "".join(random_.choices(syllables, k=random_.randint(1, 4))).title()
        if random_.random() < 0.3
        else "".join(random_.choices(syllables, k=random_.randint(1, 4)))
        for _ in range(WORDS)
    ]
    weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
    for number in range(10**9):
        sentences = (ENGLISH, GERMAN)[number % 2]
        parts = [" ".join(random_.choices(words, cum_weights=weights, k=20)) + "." for _ in range(6)]
        parts += random_.choices(sentences, k=3)
        subject = None
        if number % EVERY == 0:
            subject = number // EVERY % len(SUBJECTS)
            named = SUBJECTS[subject]
            forms = exact_forms(named)
            form = forms[number // EVERY // len(SUBJECTS) % len(forms)]
            parts.insert(4, f"It was sent to {form[1](random_, named)} then.")
        yield " ".join(parts), subject


def _searched(firm: Any, subject: Any, planted: set[tuple[str, int]]) -> dict[str, Any]:
    from apps.privacy.people.search import person_search
    from apps.tenants.context import open_scope

    with open_scope(tenant=firm.id, reason="a benchmark"):
        began, cpu_began = perf_counter(), process_time()
        hits = list(person_search(person=subject.person))
        seconds = perf_counter() - began
        cpu_seconds = process_time() - cpu_began
    mentions = [mention for hit in hits for mention in hit.mentions]
    found = {
        (str(mention.place.target.id), mention.place.page)
        for mention in mentions
        if mention.place.target is not None and mention.place.page is not None
    }
    return {
        "person": f"{subject.given} {subject.family}",
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "mentions": len(mentions),
        "certain": sum(mention.is_certain for mention in mentions),
        "planted": len(planted),
        "found": len(planted & found),
    }


if __name__ == "__main__":
    main()
