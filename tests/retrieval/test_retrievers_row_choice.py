"""Of the rows of some documents, those are chosen that give a concept asked for, or whose labels the question names."""

from __future__ import annotations

from uuid import UUID

from apps.corpus.terms import terms
from apps.retrieval.contracts import AskedFigures
from apps.retrieval.retrievers.row_choice import FactRow, choose_rows

FIRST, SECOND = UUID(int=1), UUID(int=2)


def row(label: str, *, concept: str = "", document: UUID = FIRST, start: int = 0, statement: bool = True) -> FactRow:
    return FactRow(
        document_id=document,
        page=1,
        start=start,
        end=start + 10,
        label=label,
        concept=concept,
        in_statement=statement,
        undivided=True,
        doubt="",
    )


def named(question: str, *rows: FactRow, concepts: tuple[str, ...] = (), **called: str) -> list[str]:
    """The labels of the rows that are chosen. called: a further name of each concept."""
    asked = AskedFigures(
        concepts=concepts,
        called={concept: frozenset({frozenset(terms(name, "en"))}) for concept, name in called.items()},
        words=frozenset(terms(question, "en")),
        plain=frozenset(terms("total net year", "en")),
    )
    return [each.label for each in choose_rows(rows, asked)]


def test_a_row_is_found_by_its_label_alone() -> None:
    rows = (row("Otters"), row("Badgers, adult"), row("Badgers, young"))
    assert named("How many otters were counted in the year?", *rows) == ["Otters"]


def test_a_label_of_which_little_is_named_is_not_taken() -> None:
    assert named("How many badgers were there?", row("Badgers moved to another wood")) == []


def test_a_question_of_plain_words_names_no_row() -> None:
    assert named("What was the total?", row("Total"), row("Net total")) == []


def test_the_rarer_name_comes_first() -> None:
    rows = (row("Otters, north"), row("Otters, south"), row("Lynxes"))
    assert named("otters in the north and lynxes", *rows)[:2] == ["Otters, north", "Lynxes"]


def test_of_a_concept_the_statement_s_row_comes_before_a_note_s() -> None:
    rows = (row("Sales, by note", concept="revenue", statement=False), row("Sales", concept="revenue", start=20))
    assert named("x", *rows, concepts=("revenue",)) == ["Sales", "Sales, by note"]


def test_a_concept_s_name_inside_a_label_counts_where_no_row_has_the_concept() -> None:
    rows = (
        row("Spending on mining plant and machines"),
        row("Spending on plant and machines of others, in the north"),
        row("Spending on plant and machines", document=SECOND, concept="capex"),
    )
    found = named("x", *rows, concepts=("capex",), capex="spending on plant and machines")
    assert found == ["Spending on mining plant and machines", "Spending on plant and machines"]


def test_each_row_comes_once() -> None:
    rows = (row("Otters", concept="otters"),)
    assert named("otters", *rows, concepts=("otters",)) == ["Otters"]
