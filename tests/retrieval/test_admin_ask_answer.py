"""The answer as the Ask page shows it: its state, its marks, its cards, its figures."""

from __future__ import annotations

from uuid import UUID

import pytest

from apps.retrieval.admin.ask_answer import AnswerView, answer_view
from apps.retrieval.admin.ask_figures import counted, duration, ordinal, percentage
from apps.retrieval.admin.ask_sentences import TITLES
from apps.retrieval.admin.ask_status import badges, missing_parts
from apps.retrieval.contracts import (
    Answer,
    ChunkId,
    Citation,
    ContextBlock,
    Degradation,
    DocumentId,
    GroundingStatus,
    Refusal,
    RefusalReason,
    Repair,
)
from apps.retrieval.trace import Stage
from tests.retrieval.tracing import TEXTS, result

# --- Figures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ms", "words"), [(0.04, "0.0 ms"), (4.26, "4.3 ms"), (412.4, "412 ms"), (1340, "1.3 s")])
def test_a_duration_has_a_unit_that_fits(ms: float, words: str) -> None:
    assert duration(ms) == words


@pytest.mark.parametrize(
    ("number", "words"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (12, "12th"), (21, "21st")]
)
def test_ordinals(number: int, words: str) -> None:
    assert ordinal(number) == words


def test_counted_things_have_their_number() -> None:
    assert [counted(n, "passage") for n in (0, 1, 2)] == ["no passages", "1 passage", "2 passages"]


@pytest.mark.parametrize(("part", "whole", "words"), [(0, 10, "0%"), (0.01, 10, "<1%"), (5, 10, "50%"), (1, 0, "0%")])
def test_a_share_that_rounds_to_nothing_is_not_nothing(part: float, whole: float, words: str) -> None:
    assert percentage(part, whole) == words


# --- The answer -----------------------------------------------------------------------------------------------------


def cited(ref_id: str, quote: str) -> Citation:
    return Citation(
        ref_id=ref_id,
        chunk_id=ChunkId(UUID(int=8)),
        document_id=DocumentId(UUID(int=7)),
        document_title="Alpha Fund",
        version=1,
        kind="run",
        page=3,
        section="Risk",
        quote=quote,
        columns="",
        char_start=10,
        char_end=10 + len(quote),
    )


def shown(text: str, *citations: Citation) -> AnswerView:
    return answer_view(an_answer(text=text, citations=citations), None)


def an_answer(
    *,
    text: str = "An answer.",
    citations: tuple[Citation, ...] = (),
    grounding: GroundingStatus | None = GroundingStatus.GROUNDED,
    refusal: Refusal | None = None,
    repair: Repair = Repair.NONE,
    degradations: tuple[Degradation, ...] = (),
) -> Answer:
    return Answer(
        text=text,
        ref_ids=tuple(citation.ref_id for citation in citations),
        citations=citations,
        grounding=grounding,
        repair=repair,
        generator="test",
        model="",
        refusal=refusal,
        degradations=degradations,
    )


def test_a_reference_becomes_the_number_of_its_citation() -> None:
    view = shown("It fell. [a|p1|c1] It rose. [b|p2|c1]", cited("a|p1|c1", "It fell."), cited("b|p2|c1", "It rose."))
    assert [(part.text, part.number) for part in view.lines[0]] == [
        ("It fell.", None),
        ("a|p1|c1", 1),
        (" It rose.", None),
        ("b|p2|c1", 2),
    ]


def test_two_quotes_of_one_passage_keep_their_own_numbers() -> None:
    view = shown(
        "“It fell.” [a|p1|c1]\n“It rose.” [a|p1|c1]", cited("a|p1|c1", "It fell."), cited("a|p1|c1", "It rose.")
    )
    assert [line[-1].number for line in view.lines] == [1, 2]


def test_a_reference_without_a_citation_stays_as_it_was_written() -> None:
    assert [(part.text, part.number) for part in shown("It fell. [z|p9|c9]").lines[0]] == [
        ("It fell.", None),
        (" [z|p9|c9]", None),
    ]


def test_a_card_leads_to_the_characters_of_the_page() -> None:
    (card,) = shown("It fell.", cited("a|p1|c1", "It fell.")).cards
    assert card.url == f"/admin/corpus/document/{UUID(int=7)}/page/?page=3&start=10&end=18#quote"


def test_a_card_marks_the_quote_within_its_passage() -> None:
    made = result()
    view = answer_view(made.answer, made.trace.output(ContextBlock))
    assert all(card.before + card.quote + card.after in TEXTS for card in view.cards)
    assert all(card.quote == card.citation.quote for card in view.cards)


# --- The state ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        (an_answer(), ["Grounded"]),
        (an_answer(grounding=GroundingStatus.GROUNDED, repair=Repair.SHORTENED), ["Grounded", "Repaired"]),
        (an_answer(grounding=None, refusal=Refusal(reason=RefusalReason.TOO_VAGUE, message="")), ["Refused"]),
        (
            an_answer(degradations=(Degradation(stage="embed", code="x", message="It is down."),)),
            ["Grounded", "Degraded"],
        ),
    ],
)
def test_the_state_is_a_word(answer: Answer, labels: list[str]) -> None:
    assert [badge.label for badge in badges(answer)] == labels


@pytest.mark.parametrize("reason", list(RefusalReason))
def test_every_refusal_says_how_far_the_question_came(reason: RefusalReason) -> None:
    (badge,) = badges(an_answer(grounding=None, refusal=Refusal(reason=reason, message="")))
    assert badge.meaning.endswith(".")


@pytest.mark.parametrize("stage", [Stage.CLASSIFY, Stage.EMBED, Stage.GENERATE])
def test_a_missing_part_is_named_and_its_meaning_told(stage: Stage) -> None:
    degraded = an_answer(degradations=(Degradation(stage=stage.value, code="x", message="It is down."),))
    (part,) = missing_parts(degraded)
    assert (part.title, part.message) == (TITLES[stage], "It is down.")
    assert part.meaning != "The other steps ran without this one."
