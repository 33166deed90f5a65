"""Text recognition of scanned pages: the share of figures that are right in row and column, and seconds a page.

    python -m tests.benchmarks.recognition [--pages N] [--quick] [--json]

Pages of figures in several forms (tests/corpus/scanned.py) are typeset, drawn, laid askew, given noise and put into
PDFs without text. A figure is right if it stands in the row of its label under the year of its column, as printed.
The first line reads the pages as they were typeset: what it misses is not for text recognition to find. Running text is
judged by the share of its characters that were read wrongly.

It is a script and no test: it prints `met` or `missed` without ever failing. `--quick` is a smoke run on few pages.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from apps.corpus.extraction import extract
from tests.corpus.files import PdfPage, Text, lines, pdf
from tests.corpus.scanned import Scanner, Statement, statement

AIM_RIGHT = 0.95
AIM_SECONDS = 3.0
_PAGES = 20
_SCANNERS = {
    "typeset": None,
    "scanned": Scanner(),
    "askew by 3 degrees": Scanner(skew=3.0),
    "askew by -5 degrees": Scanner(skew=-5.0),
    "turned by 90 degrees": Scanner(quarters=1),
    "turned by 180 degrees": Scanner(quarters=2),
    "turned by 270 degrees": Scanner(quarters=3),
    "150 dots an inch": Scanner(dots_per_inch=150),
    "much noise": Scanner(noise=40.0),
    "out of focus": Scanner(blur=1.5),
}
_QUICK = ("typeset", "scanned")
_SENTENCE = (
    "The group's revenue rose to 12,345 million dollars in the fiscal year 2023, because customers renewed their "
    "agreements; management expects that liquidity remains sufficient, although interest rates may rise by 0.75 %. "
    "Die Umsatzerlöse stiegen gegenüber dem Vorjahr deutlich, während größere Rückstellungen aufgelöst wurden. "
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.recognition", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--pages", type=int, default=_PAGES, help="how many pages of figures")
    parser.add_argument("--quick", action="store_true", help="a smoke run on two pages; its times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of words")
    options = parser.parse_args(arguments)
    report = run(2 if options.quick else options.pages, quick=options.quick)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def run(pages: int, *, quick: bool) -> dict[str, Any]:
    statements = [statement(seed) for seed in range(pages)]
    content = [pdf([each.page]) for each in statements]
    figures = {
        name: _figures(statements, content, scanner)
        for name, scanner in _SCANNERS.items()
        if not quick or name in _QUICK
    }
    return {"pages": pages, "figures": figures, "text": {} if quick else _text()}


def _figures(statements: Sequence[Statement], content: Sequence[bytes], scanner: Scanner | None) -> dict[str, Any]:
    right = every = 0
    confidence, seconds = [], []
    for each, printed in zip(statements, content, strict=True):
        file = printed if scanner is None else scanner.scan(printed)
        started = time.process_time()
        (page,) = extract(file, filename="scan.pdf", recognises=True).pages
        seconds.append(time.process_time() - started)
        right += sum(_right(each, page.text))
        every += sum(len(figures) for _, figures in each.rows)
        confidence.append(page.recognition.confidence if page.recognition else 1.0)
    return {
        "right": right / every,
        "figures": every,
        "confidence": sum(confidence) / len(confidence),
        "seconds_a_page": sum(seconds) / len(seconds),
    }


def _right(printed: Statement, text: str) -> list[bool]:
    rows = {row[0]: row[1:] for row in (line.split(" | ") for line in text.split("\n"))}
    return [
        f"{2023 - number}: {figure}" in rows.get(label, ())
        for label, figures in printed.rows
        for number, figure in enumerate(figures)
    ]


def _text() -> dict[str, Any]:
    """Read a page of running text, and one of it in two columns."""
    words = (_SENTENCE * 20).split()
    wide, narrow = _wrapped(words, 100)[:50], _wrapped(words, 48)[:100]
    columns = [
        Text(60 + 260 * (number // 50), 720 - 13 * (number % 50), line, 9.5) for number, line in enumerate(narrow)
    ]
    found = {}
    for name, page, said in (
        ("one column", lines(*wide, pitch=13, x=60), wide),
        ("two columns", PdfPage(columns), narrow),
    ):
        started = time.process_time()
        (read,) = extract(Scanner().scan(pdf([page])), filename="scan.pdf", recognises=True).pages
        seconds = time.process_time() - started
        whole = " ".join(said)
        wrong = Levenshtein.distance(read.text.replace("\n", " "), whole) / len(whole)
        found[name] = {"characters": len(whole), "wrong": wrong, "seconds_a_page": seconds}
    return found


def _wrapped(words: Sequence[str], width: int) -> list[str]:
    wrapped = [""]
    for word in words:
        if len(wrapped[-1]) + len(word) >= width:
            wrapped.append(word)
        else:
            wrapped[-1] = f"{wrapped[-1]} {word}".strip()
    return wrapped


def as_text(report: dict[str, Any]) -> str:
    said = [f"{report['pages']} pages of figures, each read in a process of one thread"]
    for name, each in report["figures"].items():
        said.append(
            f"  {name:24} {each['right']:7.2%} of {each['figures']:,} figures right, "
            f"{each['seconds_a_page']:.2f} s a page, {each['confidence']:.3f} sure"
        )
    for name, each in report["text"].items():
        said.append(
            f"  {name:24} {each['wrong']:7.2%} of {each['characters']:,} characters wrong, "
            f"{each['seconds_a_page']:.2f} s a page"
        )
    scanned = report["figures"]["scanned"]
    is_met = scanned["right"] >= AIM_RIGHT and scanned["seconds_a_page"] < AIM_SECONDS
    said.append(f"  {'met' if is_met else 'missed'}: {AIM_RIGHT:.0%} right in less than {AIM_SECONDS:g} s a page")
    return "\n".join(said)


if __name__ == "__main__":
    main()
