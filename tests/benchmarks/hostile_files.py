"""How what a file costs grows with its size: a ratio for each family of tests/corpus/hostile.py.

    python -m tests.benchmarks.hostile_files [--only WORD] [--bytes N]

Each family is read at a small size and at four times that; where both are proportional to the size, the computing time
is four times as much. A ratio far above four is a reader whose cost grows faster than the file.
"""

from __future__ import annotations

import argparse
import resource
import sys
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue

from apps.corpus.reader.contracts import ReadRequest
from apps.corpus.reader.reading import read_document
from apps.corpus.tokens import wordpiece_counter
from apps.errors import ApplicationError
from tests.corpus.hostile import FAMILIES, Family

_LONGEST_S = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="families whose name holds this")
    parser.add_argument("--bytes", type=int, default=20_000, help="the smaller size, about, before it is packed")
    arguments = parser.parse_args()
    wordpiece_counter()
    print(f"{'family':34}{'size':>10}{'bytes':>10}{'cpu s':>9}{'x 4':>9}{'ratio':>8}{'MiB':>7}  ended")
    for name, family in FAMILIES.items():
        if arguments.only not in name:
            continue
        size = max(family.size // 16, 4)
        once, _, _ = _cost(family, size)
        four, mebibytes, ended = _cost(family, size * 4)
        weight = len(family.build(size * 4))
        ratio = f"{four / once:8.1f}" if once > 0.02 else "       -"
        print(f"{name:34}{size * 4:>10}{weight:>10}{once:>9.2f}{four:>9.2f}{ratio}{mebibytes:>7}  {ended}", flush=True)


def _cost(family: Family, size: int) -> tuple[float, int, str]:
    """Seconds of computing, the most memory in MiB, and how it ended; in a process of its own."""
    context = get_context("fork")
    told: SimpleQueue[tuple[float, int, str]] = context.SimpleQueue()
    process = context.Process(target=_read, args=(family, size, told))
    process.start()
    process.join(_LONGEST_S * 3)
    if told.empty():
        process.kill()
        return float(_LONGEST_S), 0, f"killed ({process.exitcode})"
    return told.get()


def _read(family: Family, size: int, told: SimpleQueue[tuple[float, int, str]]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_LONGEST_S, _LONGEST_S))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    content = family.build(size)
    before = resource.getrusage(resource.RUSAGE_SELF)
    ended = "read"
    try:
        read_document(content, ReadRequest(filename=family.filename), lambda _: None)
    except ApplicationError as error:
        ended = error.code
    except MemoryError:
        ended = "memory"
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told.put((seconds, (after.ru_maxrss) // 1024, ended))


if __name__ == "__main__":
    sys.exit(main())
