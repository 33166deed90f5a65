"""The cases are what the generator makes, in the numbers that are promised, and they say what they are said to say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.checking.build import SETS, lines
from tests.evaluation.checking.forms import answer_forms
from tests.evaluation.checking.load import Case, cases
from tests.evaluation.checking.mutations import CLASSES
from tests.evaluation.checking.said import cells_of
from tests.evaluation.checking.statements import SCALES, Cell, Company, companies, number
from tests.evaluation.checking.voice import english_name

FOLDER = Path(__file__).parent
LEAST_RIGHT = 600
LEAST_WRONG = 1000
LEAST_FORMS = 120
LARGEST_BYTES = 3_000_000
CLAIMED = ("year", "scale", "currency", "company", "label", "neighbour")


def both() -> Iterator[Case]:
    for set_ in SETS:
        yield from cases(set_)


def without_marks(answer: str) -> str:
    return re.sub(r"\s?\[[\w-]+\|p\d+\|c\d+\]", "", answer).rstrip(".")


def text_of(case: Case, ref_id: str) -> str:
    return next(str(each["text"]) for each in case.passages if each["ref_id"] == ref_id)


def all_text(case: Case) -> str:
    return " ".join(str(each["text"]) for each in case.passages)


def every_company() -> tuple[Company, ...]:
    return tuple(company for set_ in SETS for company in companies(set_))


@cache
def told(company_name: str) -> Mapping[tuple[str, str], tuple[Cell, str]]:
    """What the tables of a company say: the cell of each measure, under all of its names, and period."""
    company = next(each for each in every_company() if each.name == company_name)
    found: dict[tuple[str, str], tuple[Cell, str]] = {}
    for (_, period), cell in cells_of(company).items():
        names = [name.bare for name in (*cell.names, *cell.loss_names)]
        if cell.key.rpartition(":")[2] in company.english:
            names.append(english_name(cell, company).bare)
        found |= {(name, period): (cell, company.currency) for name in names}
    return found


# --- the files ---


@pytest.mark.parametrize("set_", SETS)
def test_the_file_is_what_the_generator_makes(set_: str) -> None:
    assert (FOLDER / f"{set_}.jsonl").read_text(encoding="utf-8").splitlines() == lines(set_)


@pytest.mark.parametrize("set_", SETS)
def test_no_file_is_large(set_: str) -> None:
    assert (FOLDER / f"{set_}.jsonl").stat().st_size < LARGEST_BYTES


def test_ids_are_unique() -> None:
    counted = Counter(case.id for case in both())
    assert [id_ for id_, times in counted.items() if times > 1] == []


# --- the numbers ---


def test_there_are_enough_cases_of_each_class() -> None:
    counted = Counter(case.class_ for case in both())
    assert counted.pop("right") >= LEAST_RIGHT
    assert set(counted) == set(CLASSES)
    assert sum(counted.values()) >= LEAST_WRONG
    assert max(counted.values()) - min(counted.values()) <= 5


def test_each_style_is_there() -> None:
    counted = Counter(case.style for case in both() if case.verdict == "pass")
    assert set(counted) == {"terse", "calc", "prose"}
    assert min(counted.values()) >= 100


@pytest.mark.parametrize("set_", SETS)
def test_half_of_each_class_is_structured(set_: str) -> None:
    for class_ in ("right", *CLASSES):
        found = [case.structured for case in cases(set_) if case.class_ == class_]
        assert abs(2 * sum(found) - len(found)) <= 3, class_


def test_a_third_of_the_wrong_claims_are_right() -> None:
    carried = [case.mutated for case in both() if case.class_ in ("digit", "year", "scale", "currency", "label")]
    structured = len(carried) / 2
    assert carried.count("both") <= 2 * structured / 3 + 1


def test_there_are_enough_forms_and_none_is_in_both_sets() -> None:
    open_, kept = ({form.text for form in answer_forms(set_)} for set_ in SETS)
    assert len(open_ | kept) >= LEAST_FORMS
    assert open_ & kept == set()


def test_a_third_of_the_companies_is_kept_apart() -> None:
    open_, kept = ({company.name for company in companies(set_)} for set_ in SETS)
    assert len(open_ | kept) >= 24
    assert len(kept) >= (len(open_) + len(kept)) // 3
    seen = {str(passage["company"]) for case in cases("open") for passage in case.passages}
    assert seen & kept == set()


# --- what they say ---


@pytest.mark.parametrize("set_", SETS)
def test_a_wrong_answer_differs_from_the_right_one_that_it_was_made_from(set_: str) -> None:
    right = {case.id: case for case in cases(set_) if case.verdict == "pass"}
    for case in cases(set_):
        if case.verdict == "stop":
            base = right[case.base]
            assert without_marks(case.answer) != without_marks(base.answer), case.id
            assert (case.question, case.passages) == (base.question, base.passages), case.id


def test_a_reply_names_passages_that_are_given() -> None:
    for case in both():
        given = {each["ref_id"] for each in case.passages}
        marked = set(re.findall(r"\[([\w-]+\|p\d+\|c\d+)\]", case.answer))
        claimed = {claim["ref_id"] for claim in case.reply.get("claims", ())}
        assert set(case.reply["ref_ids"]) | marked | claimed <= given, case.id


def test_a_right_claim_stands_in_its_row() -> None:
    for case in both():
        if case.verdict == "pass" and case.structured:
            for claim in case.reply["claims"]:
                assert stands_in_its_row(case, claim), (case.id, claim)


def stands_in_its_row(case: Case, claim: Mapping[str, str]) -> bool:
    text = text_of(case, claim["ref_id"])
    rows = [line for line in text.splitlines() if claim["row"] in line] if claim["row"] else [text]
    printed = re.findall(r"\d[\d.,]*\d|\d", " ".join(rows))
    wanted = claim["value"].lstrip("-")
    return wanted in printed or any(rounds_to(each, wanted) for each in printed)


def rounds_to(printed: str, wanted: str) -> bool:
    """Whether a figure of the row gives the one that is wanted in a larger scale."""
    digits, shown = (re.sub(r"\D", "", each).lstrip("0") for each in (printed, wanted))
    cut = len(digits) - len(shown)
    return cut >= 0 and str((int(digits) * 10 + 5 * 10**cut) // 10 ** (cut + 1)) == shown


def test_a_right_calculation_comes_out() -> None:
    for case in both():
        if case.verdict == "pass" and case.structured:
            for each in case.reply["calculations"]:
                assert comes_out(case, each), (case.id, each)


def comes_out(case: Case, calculation: Mapping[str, Any]) -> bool:
    """Work the expression out. A result in per cent is a hundred times the value; its scale may be another one."""
    language = case.language
    plain = re.sub(r"\d[\d.,]*", lambda found: str(number(found[0], language)), calculation["expression"])
    value = float(eval(plain.replace("^", "**"), {"__builtins__": {}}))  # noqa: S307
    found = re.search(r"\d[\d.,]*\d|\d", calculation["result"])
    assert found
    result = number(found[0], language)
    step = 10.0 ** float(result.as_tuple().exponent)
    return any(abs(abs(value) * factor - float(result)) <= 0.51 * step for factor in (1, 100, 1e3, 1e-3))


def test_a_changed_digit_makes_a_number_that_stands_nowhere() -> None:
    for case in both():
        if case.class_ == "digit" and case.form:
            right = next(each for each in both() if each.id == case.base)
            new = set(numbers(case.answer)) - set(numbers(right.answer))
            assert new, case.id
            assert new.isdisjoint(numbers(all_text(case))), case.id


def test_a_claim_that_follows_a_wrong_answer_is_wrong() -> None:
    """By the tables of the company that the claim names: its measure has another figure, or none, in that period.

    Left out are those with calculations, since the result of one may be what is wrong.
    """
    for case in both():
        if case.mutated == "both" and case.class_ in CLAIMED and not case.reply["calculations"]:
            assert not all(holds(claim) for claim in case.reply["claims"]), case.id


def test_a_right_claim_holds_in_the_tables() -> None:
    for case in both():
        if case.verdict == "pass" and case.structured:
            assert all(holds(claim) for claim in case.reply["claims"]), case.id


def holds(claim: Mapping[str, str]) -> bool:
    """Whether the claim is true. A figure of a German report is read as the report writes it, or as English does."""
    known = told(claim["company"]).get((claim["measure"], claim["period"]))
    if known is None:
        return False
    cell, currency = known
    same_unit = not cell.is_money or (currency in claim["unit"] and "per share" not in claim["unit"])
    same_unit &= cell.kind != "p" or claim["unit"] == "%"
    same_unit &= cell.kind != "s" or claim["unit"] == f"{currency} per share"
    is_loss = cell.value < 0 and claim["measure"] in {name.bare for name in cell.names}
    scale = next((amount for name, amount in SCALES.items() if cell.is_money and name in claim["unit"]), Decimal(1))
    written_in = next(each.language for each in every_company() if each.name == claim["company"])
    readings = [number(claim["value"], language) for language in {"en", written_in}]
    agree = any(abs(abs(value) * scale - abs(cell.base)) <= one_in_last_place(value) * scale / 2 for value in readings)
    return same_unit and agree and not (is_loss and "-" not in claim["value"])


def one_in_last_place(value: Decimal) -> Decimal:
    return Decimal(1).scaleb(int(value.as_tuple().exponent))


def numbers(text: str) -> list[str]:
    return re.findall(r"(?<![\w|])\d+(?:[.,]\d+)*", without_marks(text))
