"""How long a table of passages is locked while it is written anew, and how fast the residue scan reads.

    python -m tests.benchmarks.erasure_physical [--chunks N] [--gigabytes G] [--json]

A server of its own, set up as in production: N passages (100,000) with text, terms and vectors, of which one in a
hundred is removed; then the physical phase step by step, and the scan before and after. Besides, a file of G gigabytes
(1) of text is scanned for 15,000 needles of the same vocabulary. It judges no times. With --chunks 10000 and
--gigabytes 0.2 it ends within a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from apps.erasure.residue.access import Access

_WORDS = 20_000
_DIMENSION = 384
_PAGE_CHARS = 4_000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.erasure_physical", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--chunks", type=int, default=100_000, help="passages in the table")
    parser.add_argument("--gigabytes", type=float, default=1.0, help="of the synthetic file")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    import django

    django.setup()
    report = run(chunks=options.chunks, gigabytes=options.gigabytes)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    lines = [
        f"scan of a file: {report['file_mb_per_s']:,.0f} MB/s, {report['file_mb_per_cpu_s']:,.0f} MB a second of CPU, "
        f"for {report['file_needles']:,} needles",
        f"{report['chunks']:,} passages, {report['database_mb']:,.0f} MB; {report['removed']:,} removed; "
        f"{report['scanned_mb']:,} MB scanned for {report['needles']:,} needles",
        *(f"{step['label']:<52}{step['elapsed_s']:>8.1f} s" for step in report["steps"]),
        f"{'scan before':<52}{report['scan_before_s']:>8.1f} s, {report['hits_before']:,} hits",
        f"{'scan after':<52}{report['scan_after_s']:>8.1f} s, {report['hits_after']:,} hits",
    ]
    return "\n".join(lines)


def run(*, chunks: int, gigabytes: float) -> dict[str, Any]:
    from apps.erasure.residue.physical import physical_phase
    from apps.erasure.residue.places import every_place
    from apps.erasure.residue.scanning import scan
    from tests.audit.residue_cluster import running_cluster

    report = {"chunks": chunks, **_scan_file(gigabytes)}
    with running_cluster() as access:
        _say(f"writing {chunks:,} passages")
        gone = _fill(access, chunks)
        needles = _needles_of(gone)
        with access.connect() as connection:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table} WHERE gone")
            connection.execute("CHECKPOINT")
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        _say("scanning")
        before = scan(needles, every_place(access, dump=False))
        _say("physical phase")
        result = physical_phase(_TABLES, access=access)
        _say("scanning again")
        after = scan(needles, every_place(access, dump=False))
    return report | {
        "removed": len(gone),
        "database_mb": row[0] / 1e6 if row else 0,
        "needles": len(needles.needles),
        "steps": [step.as_json() for step in result.steps],
        "scan_before_s": round(before.elapsed_s, 1),
        "scan_after_s": round(after.elapsed_s, 1),
        "scanned_mb": round(before.size_bytes / 1e6),
        "hits_before": sum(before.by_group().values()),
        "hits_after": sum(after.by_group().values()),
    }


_TABLES = ("passage", "page", "embedding")


def _fill(access: Access, chunks: int) -> list[tuple[str, str, str, list[float]]]:
    """Tables as the corpus has them: passages, pages (compressed) and vectors; one row in a hundred is to go."""
    with access.connect() as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("CREATE TABLE passage (id bigint PRIMARY KEY, text text, sha256 text, gone boolean)")
        connection.execute("CREATE INDEX ON passage (sha256)")
        connection.execute("CREATE TABLE page (id bigint PRIMARY KEY, text text, gone boolean)")
        connection.execute(
            f"CREATE TABLE embedding (id bigint PRIMARY KEY, vector halfvec({_DIMENSION}), gone boolean)"
        )
        connection.execute("ALTER TABLE embedding ALTER vector SET STORAGE PLAIN")
        gone = []
        with connection.cursor() as cursor:
            for name in _TABLES:
                with cursor.copy(f"COPY {name} FROM STDIN") as copy:
                    for number, passage, page, sha256, vector in _rows(chunks):
                        leaves = number % 100 == 0
                        if name == "passage":
                            copy.write_row((number, passage, sha256, leaves))
                            if leaves:
                                gone.append((passage, page, sha256, vector))
                        elif name == "page" and number % 2 == 0:
                            copy.write_row((number, page, leaves))
                        elif name == "embedding":
                            copy.write_row((number, str(vector), leaves))
        connection.execute("ANALYZE")
    return gone


def _rows(chunks: int) -> Iterator[tuple[int, str, str, str, list[float]]]:
    chance = random.Random(1)
    words = _words(chance)
    values = [round(chance.uniform(-0.1, 0.1), 4) for _ in range(chunks + _DIMENSION)]
    for number in range(chunks):
        passage = " ".join(chance.choices(words, k=150))
        page = " ".join([passage] * 2 + chance.choices(words, k=300))[:_PAGE_CHARS]
        yield number, passage, page, f"{chance.getrandbits(256):064x}", values[number : number + _DIMENSION]


def _needles_of(gone: list[tuple[str, str, str, list[float]]]) -> Any:
    from apps.erasure.residue.needles import make_needles

    texts = [text for passage, page, sha256, _ in gone for text in (passage, page, sha256)]
    return make_needles(texts=texts)


def _words(chance: random.Random) -> list[str]:
    return ["".join(chance.choices("abcdefghiklmnoprstuvw", k=chance.randint(3, 11))) for _ in range(_WORDS)]


def _scan_file(gigabytes: float) -> dict[str, Any]:
    """A file of text in which there is nothing, but much that looks like it: the same words in another order."""
    from apps.erasure.residue.needles import make_needles
    from apps.erasure.residue.places import ByteSource
    from apps.erasure.residue.scanning import scan_places

    chance = random.Random(2)
    words = _words(chance)
    needles = make_needles(texts=[" ".join(chance.choices(words, k=6))[:64] for _ in range(1_500)])
    block = " ".join(chance.choices(words, k=600_000)).encode()[: 4 << 20]
    blocks = max(1, int(gigabytes * 1e9 / len(block)))
    place = ByteSource(group="file", name="synthetic", read=lambda: (block for _ in range(blocks)))
    _say(f"scanning {blocks * len(block) / 1e9:.1f} GB for {len(needles.needles):,} needles")
    begun, used = perf_counter(), process_time()
    result = scan_places(needles, [place])
    used = process_time() - used
    return {
        "file_mb_per_cpu_s": round(result.size_bytes / 1e6 / used),
        "file_mb_per_s": round(result.size_bytes / 1e6 / (perf_counter() - begun)),
        "file_needles": len(needles.needles),
        "file_hits": sum(result.by_group().values()),
    }


def _say(text: str) -> None:
    print(f"  {text} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
