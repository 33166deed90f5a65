"""Write the evaluation folder of a set, the same bytes each time.

`python -m tests.evaluation.forms DIRECTORY open|kept`, then `manage.py evaluate DIRECTORY`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.evaluation.forms.companies import SETS, Company, companies_of
from tests.evaluation.forms.questions import questions_of
from tests.evaluation.forms.reports import report


def write_folder(directory: Path, set_: str) -> tuple[int, int]:
    """Write documents and questions into a directory, which is made if it is not there. Return how many there are."""
    (directory / "documents").mkdir(parents=True, exist_ok=True)
    documents = []
    for company in companies_of(set_):
        for year in company.reports:
            row = _document_row(company, year)
            (directory / row["file"]).write_text(report(company, year), encoding="utf-8")
            documents.append(row)
    questions = [question.row() for question in questions_of(set_)]
    _write_lines(directory / "documents.jsonl", documents)
    _write_lines(directory / "queries.jsonl", questions)
    return len(documents), len(questions)


def _document_row(company: Company, year: int) -> dict[str, Any]:
    id_ = company.document_id(year)
    return {
        "id": id_,
        "file": f"documents/{id_}.{company.spec['format']}",
        "title": company.words["title"].format(year=year),
        "company": company.spec["name"],
        "document_type": "report",
        "source_type": "official",
        "period": year,
        "kind": "reference_report",
        "language": company.language,
        "sector": company.spec["sector"],
    }


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Write it where the arguments say."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evaluation.forms", description="Writes an evaluation folder."
    )
    parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="made if it is not there")
    parser.add_argument("set", choices=SETS)
    given = parser.parse_args(arguments)
    documents, questions = write_folder(given.directory, given.set)
    sys.stdout.write(f"{documents} documents and {questions} questions are in {given.directory}.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
