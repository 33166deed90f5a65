"""What was said of a version, as its page shows it: by comment, with its answers, its cell and what became of that."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from apps.intents.admin.review.forms import AnswerForm
from apps.intents.cells import Cell, cell_stands, cells_of, stands_in_words
from apps.intents.changed_matrix import ChangedMatrix
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, ReviewComment, Turn
from apps.intents.services.discussion import may_resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A comment with its answers.

    about: its cell in words; empty for the whole version. changed: how the cell stood and stands, where it has changed
    since; empty where it has not. form: the answer's; None for who may not speak. resolves: whether they may resolve
    it.
    """

    comment: ReviewComment
    about: str
    changed: str
    earlier: bool
    answers: tuple[ReviewComment, ...]
    is_open: bool
    form: AnswerForm | None = None
    resolves: bool = False

    @property
    def cell(self) -> Cell:
        return Cell(self.comment.about_intent, self.comment.about_kind)


def threads(version: PolicyVersion, snapshot: PolicySnapshot, base: PolicySnapshot | None) -> tuple[Thread, ...]:
    """Return what was said of a version: what is open first, and then the oldest first. One query."""
    words = cells_of(*((base, snapshot) if base else (snapshot,)))
    answers: defaultdict[object, list[ReviewComment]] = defaultdict(list)
    roots: list[ReviewComment] = []
    for comment in version.comments.order_by("created_at", "id"):
        if comment.answers_id:
            answers[comment.answers_id].append(comment)
        else:
            roots.append(comment)
    found = [_thread(version, snapshot, root, tuple(answers[root.id]), words) for root in roots]
    return tuple(sorted(found, key=lambda thread: not thread.is_open))


def with_forms(found: tuple[Thread, ...], forms: Mapping[str, object]) -> tuple[Thread, ...]:
    """Give each thread the form of its answer, as it was sent, where it was sent."""

    def form(thread: Thread) -> AnswerForm:
        sent = forms.get(answer_prefix(thread.comment.id))
        return sent if isinstance(sent, AnswerForm) else AnswerForm(prefix=answer_prefix(thread.comment.id))

    return tuple(replace(thread, form=form(thread), resolves=may_resolve(thread.comment)) for thread in found)


def answer_prefix(comment_id: UUID) -> str:
    return f"answer-{comment_id}"


def cell_choices(
    matrix: ChangedMatrix | None, snapshot: PolicySnapshot, base: PolicySnapshot | None
) -> list[tuple[str, str | list[tuple[str, str]]]]:
    """Return what a comment can be about, for a select: what changes comes first."""
    words = cells_of(*((base, snapshot) if base else (snapshot,)))
    changed = _changed(matrix) if matrix else []
    first = [(str(cell), words[cell]) for cell in changed if cell in words]
    others = [(str(cell), said) for cell, said in words.items() if cell not in changed]
    groups: list[tuple[str, str | list[tuple[str, str]]]] = [("", "The whole version")]
    if first:
        groups.append(("What changes", first))
    return [*groups, ("What stays as it is" if first else "A cell of it", others)]


def said_of_cells(found: tuple[Thread, ...]) -> Mapping[Cell, int]:
    """Return how many open comments each cell has."""
    return Counter(thread.cell for thread in found if thread.is_open and not thread.cell.is_whole)


def _changed(matrix: ChangedMatrix) -> list[Cell]:
    return [
        *(Cell(cell.intent, cell.kind) for cell in matrix.changed),
        *(Cell(kind=column.kind) for column in matrix.columns if column.cap_changes or column.priority_changes),
    ]


def _thread(
    version: PolicyVersion,
    snapshot: PolicySnapshot,
    comment: ReviewComment,
    answers: tuple[ReviewComment, ...],
    words: Mapping[Cell, str],
) -> Thread:
    cell = Cell(comment.about_intent, comment.about_kind)
    stands = cell_stands(snapshot, cell)
    changed = ""
    if stands != comment.stood:
        changed = f"{stands_in_words(comment.stood, snapshot)} then, {stands_in_words(stands, snapshot)} now"
    turns = [answer.turn for answer in answers if answer.turn]
    return Thread(
        comment=comment,
        about=words.get(cell, str(cell)) if not cell.is_whole else "",
        changed=changed,
        earlier=comment.revision < version.revision,
        answers=answers,
        is_open=not turns or turns[-1] == Turn.REOPENED,
    )
