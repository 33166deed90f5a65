"""A proof in words: each theorem as a sentence, with its counterexamples grouped and the first of them named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from apps.corpus.kinds import RetentionClass, SourceType, words_of_key
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff_words import listed
from apps.intents.profile.contracts import RuleSort
from apps.intents.profile.means import modes_in_words
from apps.intents.proof.contracts import Block, Change, Result, Results, Theorem
from apps.intents.proof.facts import FALLBACK
from apps.intents.reviewers import TwoFor
from apps.tenants.roles import Role

SHOWN: Final = 6

STATEMENTS: Final[Mapping[Theorem, str]] = {
    Theorem.NOTHING_PERMITTED: "No intent permits a kind that it did not permit before",
    Theorem.NOTHING_FORBIDDEN: "Every intent still permits all kinds that it permitted before",
    Theorem.NOTHING_GAINED: "Nobody reaches, by a question of an intent, a kind that they did not reach before",
    Theorem.NOTHING_LOST: "Nothing that was reachable is lost",
    Theorem.NO_KIND_GAINED: "No role reaches a kind that it could not reach before by any question",
    Theorem.NO_KIND_LOST: "No role loses a kind altogether",
    Theorem.NO_PLACE_GAINED: "No role may ask in a scope where it could not ask before",
    Theorem.NO_PLACE_LOST: "Every role may still ask in each scope where it could ask before",
    Theorem.FALLBACK_NOT_WIDER: "An unrecognised question reaches nothing that it did not reach before",
    Theorem.NO_MORE_TEXT_KEPT: "No question of an intent is recorded with its text that was not before",
    Theorem.NO_LESS_TEXT_KEPT: "Every intent whose questions were recorded with their text still records it",
    Theorem.NO_CAP_RAISED: "No kind gets a larger context budget than before",
    Theorem.NO_CAP_LOWERED: "No kind gets a smaller context budget than before",
    Theorem.NO_INTENT_GONE: "No intent is gone",
    Theorem.NO_INTENT_NEW: "No intent is new",
    Theorem.SAME_RECOGNITION: "Nothing changes that decides which intent a question gets",
    Theorem.INVARIANTS_KEPT: "No invariant of the firm is removed or changed",
    Theorem.NO_UPLOADER_GAINED: "No role uploads a kind that it did not upload before",
    Theorem.NO_UPLOADER_LOST: "Every role still uploads each kind that it uploaded before",
    Theorem.NO_CORRECTOR_GAINED: "No role corrects documents of a kind whose documents it did not correct before",
    Theorem.NO_CORRECTOR_LOST: "Every role still corrects the documents that it corrected before",
    Theorem.NO_REMOVER_GAINED: "No role proposes the removal of documents of a kind where it did not before",
    Theorem.NO_REMOVER_LOST: "Every role still proposes the removal of the documents where it did before",
    Theorem.NO_KIND_RETIRED: "No kind that was in use is retired or gone",
    Theorem.NO_KIND_TAKEN_UP: "No kind is new or taken up again",
    Theorem.SAME_RETENTION: "Every kind keeps its retention class",
    Theorem.SAME_SOURCE: "Every kind keeps its source category",
    Theorem.TWO_REVIEWERS_KEPT: "Two reviewers are asked for wherever they were before",
    Theorem.NO_QUESTION_FREED: "No question that was refused by the profile for its words may be answered now",
    Theorem.NO_QUESTION_STOPPED: "The profile refuses no question for its words that it did not refuse before",
    Theorem.NO_ANSWER_FREED: "The profile still marks or withholds every answer as strictly as before",
    Theorem.NO_ANSWER_STOPPED: "The profile marks or withholds no answer that it let pass before",
    Theorem.NO_DISCLAIMER_GONE: "Every answer still carries the disclaimers that it carried before",
    Theorem.NO_DISCLAIMER_NEW: "No answer carries a disclaimer that it did not carry before",
    Theorem.NO_BOUND_WIDENED: "No bound of the profile permits a value that it did not permit before",
    Theorem.NO_BOUND_NARROWED: "Every value that the profile's bounds permitted is still permitted",
}

_RECOGNITION: Final = {
    "decisive_terms": "the decisive terms of {}",
    "terms": "the terms of {}",
    "examples": "the review examples of {}",
}
_PLACES: Final = {
    "question": "in questions",
    "unmarked": "in answers without a mark, to questions",
    "answer": "in answers, to questions",
    "writing": "for answers to questions",
}
_EFFECTS: Final = {"allow": "let pass", "flag": "marked", "block": "withheld"}
_MODES: Final = {"hash_only": "only a keyed hash", "encrypted_text": "the text, encrypted", None: "no such intent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """How a reader knows the names of a proof: intents and kinds by their labels.

    Unknown names of intents are shown as they are, and of kinds as the words of their keys.
    """

    intents: Mapping[str, str]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def intent(self, name: str) -> str:
        return "unrecognised questions" if name == FALLBACK else self.intents.get(name, name)

    def kind(self, name: str) -> str:
        return self.kinds.get(name) or words_of_key(name)

    def role(self, name: str) -> str:
        return str(Role(name).label) if name in Role.values else name


def names_of(*sides: PolicySnapshot) -> Names:
    """Return the names that versions give their intents and kinds; of two, the later version's."""
    return Names(
        intents={rule.name: rule.label for side in sides for rule in side.intents},
        kinds={str(budget.kind): budget.name for side in sides for budget in side.budgets if budget.name},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One theorem in words. shown: the first counterexamples; more: how many groups of them are not shown."""

    theorem: str
    statement: str
    holds: bool
    count: int
    shown: tuple[str, ...]
    more: int

    @property
    def sentence(self) -> str:
        if self.holds:
            return f"{self.statement}."
        more = f"; and {self.more} more, listed in the file" if self.more else ""
        return f"{self.statement}, but: {'; '.join(self.shown)}{more}."


def state(results: Results, names: Names, *, shown: int = SHOWN) -> tuple[Stated, ...]:
    """Return every theorem in words, in the order of the list."""
    return tuple(_stated(results[theorem], names, shown) for theorem in Theorem if theorem in results)


def _stated(result: Result, names: Names, shown: int) -> Stated:
    said = [line for block in result.blocks for line in _block(block, names)]
    said += [_change(result.theorem, change, names) for change in result.changes]
    return Stated(
        theorem=result.theorem.value,
        statement=STATEMENTS[result.theorem],
        holds=result.holds,
        count=result.count,
        shown=tuple(said[:shown]),
        more=max(0, len(said) - shown),
    )


def _block(block: Block, names: Names) -> list[str]:
    """Return one line for each intent of a block, or for each role of a block of places."""
    if not block.cells:
        return [f"{names.role(role)} in {_scopes(len(scopes))}" for role, scopes in block.places]
    who = listed([names.role(role) for role, _ in block.places])
    reached = len({scope for _, scopes in block.places for scope in scopes})
    where = f"{who}, {_scopes(reached)}"
    return [
        f"{names.intent(intent) if intent else 'any question'} → {listed(list(map(names.kind, kinds)))} ({where})"
        for intent, kinds in block.cells
    ]


def _change(theorem: Theorem, change: Change, names: Names) -> str:
    return _CHANGES[theorem](change, names)


def _cap(change: Change, names: Names) -> str:
    what = names.kind(change.about) if change.about else "the whole context"
    before, after = (f"{int(each):,}" if each else "none" for each in (change.before, change.after))
    return f"{what}, from {before} to {after} characters"


def _mode(change: Change, names: Names) -> str:
    return f"{names.intent(change.about)} (before: {_kept(change.before)}; now: {_kept(change.after)})"


def _kept(mode: str | None) -> str:
    return _MODES.get(mode, str(mode))


def _recognised(change: Change, names: Names) -> str:
    part, _, name = change.about.partition(":")
    if part == "setting":
        return f"the setting {name} (from {change.before} to {change.after})"
    return _RECOGNITION[part].format(names.intent(name)) if name else "which intents there are, and in which order"


def _invariant(change: Change, names: Names) -> str:
    return f"“{json.loads(change.about)['name']}”"


def _right(change: Change, names: Names) -> str:
    return f"{names.kind(change.about)}, by the role {names.role(change.after or change.before or '')}"


def _of_kind(change: Change, names: Names, labels: type[RetentionClass | SourceType]) -> str:
    before, after = (dict(labels.choices).get(each or "", each) for each in (change.before, change.after))
    return f"{names.kind(change.about)} (before: {before}; now: {after})"


def _two_for(name: str) -> str:
    return f"for {TwoFor(name).words}" if name in set(TwoFor) else name


def _refused(change: Change, names: Names) -> str:
    return f"one that names “{change.about}” (rule {change.before or change.after})"


def _held(change: Change, names: Names) -> str:
    before, after = (_EFFECTS[each or "allow"] for each in (change.before, change.after))
    return f"one that names “{change.about}” (before: {before}; now: {after})"


def _disclaimer(change: Change, names: Names) -> str:
    return f"{names.intent(change.about)}: “{change.before or change.after}”"


def _bound(change: Change, names: Names) -> str:
    place, sort, intent = change.about.split(" ")
    value = change.after or change.before or ""
    if sort == RuleSort.RESEARCH_MODES:
        return f"the research mode {modes_in_words([value])} for questions of {names.intent(intent)}"
    return f"{sort.replace('_', ' ')} {value} {_PLACES[place]} of {names.intent(intent)}"


def _cell(change: Change, names: Names) -> str:
    return f"{names.intent(change.about)} → {names.kind(change.after or change.before or '')}"


_CHANGES: Final[Mapping[Theorem, Callable[[Change, Names], str]]] = {
    Theorem.NOTHING_PERMITTED: _cell,
    Theorem.NOTHING_FORBIDDEN: _cell,
    Theorem.FALLBACK_NOT_WIDER: lambda change, names: names.kind(change.about),
    Theorem.NO_MORE_TEXT_KEPT: _mode,
    Theorem.NO_LESS_TEXT_KEPT: _mode,
    Theorem.NO_CAP_RAISED: _cap,
    Theorem.NO_CAP_LOWERED: _cap,
    Theorem.NO_INTENT_GONE: lambda change, names: names.intent(change.about),
    Theorem.NO_INTENT_NEW: lambda change, names: names.intent(change.about),
    Theorem.SAME_RECOGNITION: _recognised,
    Theorem.INVARIANTS_KEPT: _invariant,
    Theorem.NO_UPLOADER_GAINED: _right,
    Theorem.NO_UPLOADER_LOST: _right,
    Theorem.NO_CORRECTOR_GAINED: _right,
    Theorem.NO_CORRECTOR_LOST: _right,
    Theorem.NO_REMOVER_GAINED: _right,
    Theorem.NO_REMOVER_LOST: _right,
    Theorem.NO_KIND_RETIRED: lambda change, names: names.kind(change.about),
    Theorem.NO_KIND_TAKEN_UP: lambda change, names: names.kind(change.about),
    Theorem.SAME_RETENTION: lambda change, names: _of_kind(change, names, RetentionClass),
    Theorem.SAME_SOURCE: lambda change, names: _of_kind(change, names, SourceType),
    Theorem.TWO_REVIEWERS_KEPT: lambda change, names: _two_for(change.about),
    Theorem.NO_QUESTION_FREED: _refused,
    Theorem.NO_QUESTION_STOPPED: _refused,
    Theorem.NO_ANSWER_FREED: _held,
    Theorem.NO_ANSWER_STOPPED: _held,
    Theorem.NO_DISCLAIMER_GONE: _disclaimer,
    Theorem.NO_DISCLAIMER_NEW: _disclaimer,
    Theorem.NO_BOUND_WIDENED: _bound,
    Theorem.NO_BOUND_NARROWED: _bound,
}


def _scopes(count: int) -> str:
    return f"{count:,} scope{'s' * (count != 1)}"
