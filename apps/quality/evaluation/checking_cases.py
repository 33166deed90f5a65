"""Read the cases by which the check of answers is measured: replies of models, right and wrong, with their passages.

A folder holds them as open.jsonl, by which the check may be improved, and kept.jsonl, which nobody looks at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal

from apps.quality.errors import EvaluationError
from config.strict_json import InvalidJsonError, strict_json

SETS: Final = ("open", "kept")
RIGHT: Final = "right"
_TEXTS_OF_A_PASSAGE: Final = ("ref_id", "title", "company", "document_type", "context_header", "section", "text")
_PARTS_OF_A_REF_ID: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """A question, its passages, a model's reply, and whether the reply may pass.

    class_: `right`, or what is wrong with the answer. style: terse, calc or prose.
    structured: whether the reply has claims and calculations.
    base: the id of the right case that a wrong one was made from; its own id for a right one.
    mutated: for a wrong case, whether only the `prose` is wrong, or `both` prose and claims; empty for a right one.
    form: the sentence form, with its slots; empty for an answer that was written whole.
    """

    id: str
    class_: str
    verdict: Literal["pass", "stop"]
    question: str
    language: str
    passages: tuple[Mapping[str, Any], ...]
    reply: Mapping[str, Any]
    structured: bool
    style: str
    base: str
    mutated: str
    form: str

    @property
    def answer(self) -> str:
        return str(self.reply["answer"])


def read_cases(folder: Path, set_: str) -> tuple[Case, ...]:
    """Return the cases of a set.

    Raises: EvaluationError: with every line that cannot be used.
    """
    file = folder / f"{set_}.jsonl"
    if not file.is_file():
        raise EvaluationError("retrieval.evaluation_folder", folder=folder, problems=f"{file.name} is not there.")
    found: list[Case] = []
    problems: list[str] = []
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = strict_json(line)
            found.append(_case(row if isinstance(row, dict) else {}))
        except InvalidJsonError as error:
            problems.append(f"{file.name}, line {number}: it is not JSON ({error}).")
        except ValueError as error:
            problems.append(f"{file.name}, line {number}: {error}")
    if not found and not problems:
        problems.append(f"{file.name} holds no case.")
    if problems:
        raise EvaluationError("retrieval.evaluation_folder", folder=folder, problems="\n".join(problems))
    return tuple(found)


def _case(row: Mapping[str, Any]) -> Case:
    named = {("class_" if name == "class" else name): value for name, value in row.items()}
    wanted = {each.name for each in fields(Case)}
    if named.keys() != wanted:
        raise ValueError(f"it has not exactly the fields of a case: {', '.join(sorted(named.keys() ^ wanted))}.")
    if wrong := sorted(name for name in wanted if not isinstance(named[name], _type_of(name))):
        raise ValueError(f'its "{wrong[0].rstrip("_")}" is not what a case has there.')
    if named["verdict"] not in ("pass", "stop") or not isinstance(named["reply"].get("answer"), str):
        raise ValueError('its "verdict" is neither "pass" nor "stop", or its "reply" has no "answer".')
    if not all(_is_passage(each) for each in named["passages"]):
        raise ValueError(f'a passage lacks one of {", ".join(_TEXTS_OF_A_PASSAGE)}, or its "ref_id" is not slug|p1|c1.')
    return Case(**{**named, "passages": tuple(named["passages"])})


def _type_of(name: str) -> type:
    return {"passages": list, "reply": dict, "structured": bool}.get(name, str)


def _is_passage(given: object) -> bool:
    if not isinstance(given, dict) or not all(isinstance(given.get(name), str) for name in _TEXTS_OF_A_PASSAGE):
        return False
    parts = given["ref_id"].split("|")
    numbers = {"fiscal_year", "fiscal_quarter"}
    return (
        len(parts) == _PARTS_OF_A_REF_ID
        and parts[1].removeprefix("p").isdecimal()
        and all(given.get(name) is None or isinstance(given[name], int) for name in numbers)
    )
