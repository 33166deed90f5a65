"""The closed list of theorems, and what a proof says of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Theorem(StrEnum):
    """What is claimed of a change. Each is true, or refuted by all of its counterexamples; there is no third case.

    The first two are about the policy alone, whoever asks. The next six are about who reaches what: a role counts in a
    scope where somebody who holds it may ask there.
    """

    NOTHING_PERMITTED = "nothing_permitted"  # (intent, kind): permitted after, and not before
    NOTHING_FORBIDDEN = "nothing_forbidden"  # (intent, kind): permitted before, and not after
    NOTHING_GAINED = "nothing_gained"  # (role, scope, intent, kind): reached after, and not before
    NOTHING_LOST = "nothing_lost"  # (role, scope, intent, kind): reached before, and not after
    NO_KIND_GAINED = "no_kind_gained"  # (role, scope, kind): by any question at all; whoever asks chooses the question
    NO_KIND_LOST = "no_kind_lost"
    NO_PLACE_GAINED = "no_place_gained"  # (role, scope): where a role may ask
    NO_PLACE_LOST = "no_place_lost"
    FALLBACK_NOT_WIDER = "fallback_not_wider"  # kind: reached by an unrecognised question after, and not before
    NO_MORE_TEXT_KEPT = "no_more_text_kept"  # intent: recorded with its text after, and not before
    NO_LESS_TEXT_KEPT = "no_less_text_kept"
    NO_CAP_RAISED = "no_cap_raised"  # kind, or the whole context
    NO_CAP_LOWERED = "no_cap_lowered"
    NO_INTENT_GONE = "no_intent_gone"  # by its name: an intent that is renamed is gone, and another is new
    NO_INTENT_NEW = "no_intent_new"
    SAME_RECOGNITION = "same_recognition"  # nothing changed that decides which intent a question gets
    INVARIANTS_KEPT = "invariants_kept"  # every invariant of the earlier version stands in the later one, unchanged
    # Who files what: a role counts for a kind whether or not anybody holds it. The platform itself files without these.
    NO_UPLOADER_GAINED = "no_uploader_gained"  # (kind, role): may upload after, and not before; nobody what is retired
    NO_UPLOADER_LOST = "no_uploader_lost"
    NO_CORRECTOR_GAINED = "no_corrector_gained"  # (kind, role)
    NO_CORRECTOR_LOST = "no_corrector_lost"
    NO_REMOVER_GAINED = "no_remover_gained"  # (kind, role): may propose the removal of its documents
    NO_REMOVER_LOST = "no_remover_lost"
    NO_KIND_RETIRED = "no_kind_retired"  # kind: uploaded before, and retired or not there after
    NO_KIND_TAKEN_UP = "no_kind_taken_up"  # kind: uploaded after, and retired or not there before
    SAME_RETENTION = "same_retention"  # kind of both: the class by which its documents are kept
    SAME_SOURCE = "same_source"  # kind of both: the source that is taken where an upload does not say it
    TWO_REVIEWERS_KEPT = "two_reviewers_kept"  # change: took two reviewers before, and not after
    # The rest only where a side has a compliance profile.
    NO_QUESTION_FREED = "no_question_freed"  # term: had a question refused before, and not after
    NO_QUESTION_STOPPED = "no_question_stopped"
    NO_ANSWER_FREED = "no_answer_freed"  # term: an answer that names it is less strictly held after
    NO_ANSWER_STOPPED = "no_answer_stopped"
    NO_DISCLAIMER_GONE = "no_disclaimer_gone"  # (intent of both, text): stands under its answers before, and not after
    NO_DISCLAIMER_NEW = "no_disclaimer_new"
    NO_BOUND_WIDENED = "no_bound_widened"  # (place, sort, intent of both): value permitted after, and not before
    NO_BOUND_NARROWED = "no_bound_narrowed"


SINCE_V2: Final = frozenset(
    {
        Theorem.NO_UPLOADER_GAINED,
        Theorem.NO_UPLOADER_LOST,
        Theorem.NO_CORRECTOR_GAINED,
        Theorem.NO_CORRECTOR_LOST,
        Theorem.NO_REMOVER_GAINED,
        Theorem.NO_REMOVER_LOST,
        Theorem.NO_KIND_RETIRED,
        Theorem.NO_KIND_TAKEN_UP,
        Theorem.SAME_RETENTION,
        Theorem.SAME_SOURCE,
        Theorem.TWO_REVIEWERS_KEPT,
    }
)
"""The theorems that a proof of the file's first form does not state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Counterexamples as a product: each of the places with each of the cells.

    places: (role, scopes); the scopes are sorted. cells: (intent, kinds); the intent is "" for any question. A block of
    places alone has no cells.
    """

    places: tuple[tuple[str, tuple[str, ...]], ...]
    cells: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def count(self) -> int:
        places = sum(len(scopes) for _, scopes in self.places)
        return places * sum(len(kinds) for _, kinds in self.cells) if self.cells else places


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A counterexample without places: what it is about, and its value on both sides (None where there is none)."""

    about: str
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a proof says of one theorem: it holds if and only if there is no counterexample."""

    theorem: Theorem
    blocks: tuple[Block, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def count(self) -> int:
        return sum(block.count for block in self.blocks) + len(self.changes)

    @property
    def holds(self) -> bool:
        return not self.count


Results = Mapping[Theorem, Result]
