"""What a run asks next and how its answer is laid out, from a plan and recorded answers alone."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from apps.filings.vocabulary.concepts import find_in_text
from apps.research.runs.answer import write_answer
from apps.research.runs.contracts import Plan, SearchContent, SubQuestion
from apps.research.runs.decision import follow_ups
from apps.research.runs.plan_change import _reworded
from apps.retrieval.contracts import (
    Answer,
    ChunkId,
    Citation,
    DocumentId,
    GroundingStatus,
    QuotedRow,
    RowCell,
)

PARTS = ("operating cash flow", "capital expenditure")


def plan_of(parts: tuple[str, ...] = PARTS, language: str = "en") -> Plan:
    cells = tuple(
        SubQuestion(
            key=f"Velden|FY2024|{part}", text=f"What was the {part}?", company="Velden", period="FY2024", part=part
        )
        for part in parts
    )
    return Plan(
        topic=", ".join(parts),
        question_type="comparison",
        language=language,
        companies=(),
        periods_said=(),
        parts=parts,
        needed=(),
        withheld=(),
        suggested_mode="standard",
        confidence=90,
        phrases=(
            "capital expenditures",
            "purchases of property, plant and equipment",
            "cash from operating activities",
        ),
        sub_questions=cells,
        steps=(),
        wants_number=True,
    )


def told(cell: SubQuestion, text: str = "", row: QuotedRow | None = None) -> SearchContent:
    """Return the answer of a cell; without a text, the closest passages."""
    citation = Citation(
        ref_id="velden|p1|c1",
        chunk_id=ChunkId(UUID(int=1)),
        document_id=DocumentId(UUID(int=2)),
        document_title="Velden annual report 2024",
        version=1,
        kind="annual_report",
        page=1,
        section="",
        quote=text,
        columns="",
        char_start=0,
        char_end=1,
        row=row,
    )
    answer = Answer(
        text=text,
        ref_ids=(),
        citations=(citation,) if text else (),
        grounding=GroundingStatus.GROUNDED if text else None,
        generator="extractive",
        model="",
        closest=not text,
    )
    found = SearchContent(key=cell.key, attempt=cell.attempt, text=cell.text, answer=answer)
    assert found.is_answered is bool(text)
    return found


@pytest.mark.parametrize(
    "parts", [PARTS, PARTS[::-1], ("net income", "revenue"), ("operating cash flow", "team spirit")]
)
def test_no_wording_of_a_part_asks_for_another_one(parts: tuple[str, ...]) -> None:
    plan = plan_of(parts)
    found = [told(cell) for cell in plan.sub_questions]
    asked = {cell.key: {each.concept.name for each in find_in_text(cell.part)} for cell in plan.sub_questions}
    for _ in range(12):
        again = follow_ups(plan, found)
        for cell in again:
            named = {each.concept.name for each in find_in_text(cell.text)}
            assert named <= asked[cell.key], (cell.part, cell.text)
        found += [told(cell) for cell in again]
    assert follow_ups(plan, found) == ()


def test_a_part_is_asked_for_again_by_its_other_names() -> None:
    plan = plan_of()
    first = plan.sub_questions[0]
    texts, found = [], [told(first)]
    while again := [each for each in follow_ups(plan, found) if each.key == first.key]:
        texts += [each.text for each in again]
        found += [told(each) for each in again]
    assert any("operating activities" in text for text in texts)


def test_the_table_has_the_figure_of_each_period() -> None:
    row = QuotedRow(
        label="Cash from operating activities",
        cells=(RowCell(column="2024", value="561"), RowCell(column="2023", value="468")),
        caption="in EUR million",
    )
    plan = plan_of()
    cells = plan.sub_questions
    found = [
        told(cells[0], "Cash from operating activities \u2013 2024: 561; 2023: 468 [velden|p1|c1]", row),
        told(cells[1]),
    ]
    table = write_answer(plan, found, stopped_by="rounds").table
    assert table is not None
    assert [cell.text for cell in table.rows[0].cells] == ["561 (in EUR million)", "not found"]


def table_cell(text: str, *cells: tuple[str, str], period: str = "FY2024") -> str:
    """Return the table's cell of an answer whose row has these columns."""
    row = QuotedRow(
        label="Net sales", cells=tuple(RowCell(column=name, value=value) for name, value in cells), caption=""
    )
    plan = plan_of(("revenue", "net income"))
    plan = replace(plan, sub_questions=tuple(replace(each, period=period) for each in plan.sub_questions))
    found = [told(plan.sub_questions[0], f"{text} [velden|p1|c1]", row if cells else None)]
    table = write_answer(plan, found, stopped_by="rounds").table
    assert table is not None
    return table.rows[0].cells[0].text


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("Net sales \u2013 Q4 2024: 3; 2024: 10", (("Q4 2024", "3"), ("2024", "10")), "10"),
        ("Net sales \u2013 year ended December 31, 2024: 10", (("Year ended December 31, 2024", "10"),), "10"),
        ("Net sales \u2013 140; 120", (("Three months ended June 30, 2024", "140"), ("2023", "120")), "see the text"),
        ("(561 - 468) / 468 = 19.9 %", (("2024", "561"), ("2023", "468")), "see the text"),
        ("Net sales \u2013 2023: 561", (("2023", "561"),), "see the text"),
        ("Net sales \u2013 561", (("", "561"),), "see the text"),
        ("Net sales were 10 million in 2024.", (), "10 million"),
        ("Net sales were 9 million in 2023.", (), "see the text"),
    ],
)
def test_only_what_is_surely_of_the_year_stands_in_the_table(
    text: str, cells: tuple[tuple[str, str], ...], shown: str
) -> None:
    assert table_cell(text, *cells) == shown


def test_a_question_that_is_asked_as_it_is_has_no_other_wording() -> None:
    whole = SubQuestion(key="whole", text="What was the revenue of Velden and Norden in 2024?")
    plan = replace(plan_of(("revenue",)), sub_questions=(whole,))
    assert follow_ups(plan, [told(whole)]) == ()


def test_a_question_in_new_words_is_of_nothing_that_it_was_of() -> None:
    cell = plan_of().sub_questions[0]
    assert _reworded(cell, "") is cell
    changed = _reworded(cell, "What was the net income of Norden in FY2021?")
    assert (changed.company, changed.period, changed.part, changed.key) == ("", "", "", cell.key)
