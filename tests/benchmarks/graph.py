"""The graph: pages a second on one core, and its time as a share of what extraction takes of the same file.

    python -m tests.benchmarks.graph [FILE ...] [--pages N] [--quick] [--json]

Without files, a PDF of running text is typeset, with as many names as a report has. The time is the processor's.

It is a script and no test: it prints `met` or `missed` without ever failing. `--quick` is a smoke run on few pages.
"""

from __future__ import annotations

import argparse
import json
import textwrap
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from apps.corpus.extraction import extract
from apps.filings.graph import derivation
from apps.filings.graph.contracts import ReadMention
from apps.filings.graph.reading import read_graph
from tests.corpus.files import lines, pdf

AIM_PAGES_A_SECOND = 100
_COMPANY = "Velden Cranes plc"
_SENTENCES = (
    "In fiscal {year}, Velden Cranes plc acquired Hoist Works {number} Ltd. for $1,{number}00 million in cash.",
    "Revenue rose by 4.{number} % to $12.{number} billion, and the effective tax rate fell to 21 percent.",
    "Jane Q. Doe, our Chief Executive Officer, expects that demand in Germany and in the United States stays strong.",
    "The company is subject to Regulation (EU) 2016/679 and to Section 404 of the Sarbanes-Oxley Act of 2002.",
    "Management reviewed the carrying amount of goodwill as of December 31, {year}; see Note {number} for details.",
    "Customers renewed their agreements, because the service was reliable; the committee discussed liquidity.",
    "Brno Winches {number} Inc. is a wholly owned subsidiary of Velden Cranes plc, headquartered in Hamburg, Germany.",
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.graph", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("files", nargs="*", type=Path, help="files to read instead")
    parser.add_argument("--pages", type=int, default=200, help="how many pages are typeset")
    parser.add_argument("--quick", action="store_true", help="a smoke run on two pages; its times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of words")
    options = parser.parse_args(arguments)
    derivation.prepare()
    contents = {path.name: path.read_bytes() for path in options.files}
    report = [
        measure(name, each) for name, each in (contents or typeset(2 if options.quick else options.pages)).items()
    ]
    print(json.dumps(report, indent=2) if options.json else "\n".join(map(as_text, report)))


def typeset(pages: int) -> dict[str, bytes]:
    """Return a PDF of running text."""
    made = []
    for page in range(pages):
        texts = [each.format(year=2000 + page % 25, number=page % 9 + 1) for each in _SENTENCES * 4]
        made.append(lines(*textwrap.wrap(" ".join(texts), 100)[:50], pitch=13, x=60))
    return {"typeset.pdf": pdf(made)}


def measure(name: str, content: bytes) -> dict[str, Any]:
    """Read a file and then its graph."""
    started = time.process_time()
    extracted = extract(content, filename=name)
    extraction = time.process_time() - started
    started = time.process_time()
    items = read_graph(extracted.pages, company=_COMPANY, language=extracted.language)
    seconds = time.process_time() - started
    pages = len(extracted.pages)
    return {
        "file": name,
        "pages": pages,
        "pages_a_second": pages / seconds,
        "share_of_extraction": seconds / extraction,
        "mentions": dict(Counter(each.type.value for each in items if isinstance(each, ReadMention))),
        "relations": dict(Counter(each.relation.value for each in items if not isinstance(each, ReadMention))),
    }


def as_text(report: dict[str, Any]) -> str:
    judged = "met" if report["pages_a_second"] >= AIM_PAGES_A_SECOND else "missed"
    return (
        f"{report['file']}: {report['pages']} pages, {report['pages_a_second']:.0f} pages a second (aim "
        f"{AIM_PAGES_A_SECOND}: {judged}), {report['share_of_extraction']:.0%} of extraction; "
        f"{sum(report['mentions'].values())} mentions, {sum(report['relations'].values())} relations"
    )


if __name__ == "__main__":
    main()
