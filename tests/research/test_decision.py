"""What a run asks next and how its answer is laid out, from a plan and recorded answers alone."""

from __future__ import annotations

from uuid import UUID

import pytest

from apps.filings.vocabulary.concepts import find_in_text
from apps.research.runs.answer import write_answer
from apps.research.runs.contracts import Plan, SearchContent, SubQuestion
from apps.research.runs.decision import follow_ups
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


def test_two_figures_of_one_period_are_not_chosen_from() -> None:
    row = QuotedRow(
        label="Net sales", cells=(RowCell(column="Q4 2024", value="3"), RowCell(column="2024", value="10")), caption=""
    )
    plan = plan_of(("revenue", "net income"))
    found = [told(plan.sub_questions[0], "Net sales \u2013 Q4 2024: 3; 2024: 10 [velden|p1|c1]", row)]
    table = write_answer(plan, found, stopped_by="rounds").table
    assert table is not None
    assert table.rows[0].cells[0].text == "see the text"
