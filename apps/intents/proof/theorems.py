"""Decide each theorem. Pure, and exact: what is reached is a product of places and cells, and so is what differs.

A question's kinds depend on its intent alone, and where it may be asked on the role alone. So what is reached is
places x cells, and what is gained is: the cells that are new, in the places that stay, and all cells in the new places.
Nothing is sampled, and the hundred thousands of combinations are counted without being written down.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from apps.corpus.kinds import Right
from apps.intents.proof.contracts import Block, Change, Result, Results, Theorem
from apps.intents.proof.facts import FALLBACK, WITH_TEXT, Facts, Held
from apps.intents.proof.profile import decide_profile

_Cells = Mapping[str, frozenset[str]]
_RIGHTS: Final = (
    (Right.UPLOAD, Theorem.NO_UPLOADER_GAINED, Theorem.NO_UPLOADER_LOST),
    (Right.CORRECT, Theorem.NO_CORRECTOR_GAINED, Theorem.NO_CORRECTOR_LOST),
    (Right.REMOVE, Theorem.NO_REMOVER_GAINED, Theorem.NO_REMOVER_LOST),
)


def decide(before: Facts, after: Facts) -> Results:
    """Return every theorem with all its counterexamples; those on a profile only where there is one."""
    anything = {"": _any(before)}, {"": _any(after)}
    found = (
        _changes(Theorem.NOTHING_PERMITTED, _permitted(before, after)),
        _changes(Theorem.NOTHING_FORBIDDEN, map(_reverse, _permitted(after, before))),
        _blocks(Theorem.NOTHING_GAINED, _gained(before.held, before.reach, after.held, after.reach)),
        _blocks(Theorem.NOTHING_LOST, _gained(after.held, after.reach, before.held, before.reach)),
        _blocks(Theorem.NO_KIND_GAINED, _gained(before.held, anything[0], after.held, anything[1])),
        _blocks(Theorem.NO_KIND_LOST, _gained(after.held, anything[1], before.held, anything[0])),
        _blocks(Theorem.NO_PLACE_GAINED, _places(_without(after.held, before.held))),
        _blocks(Theorem.NO_PLACE_LOST, _places(_without(before.held, after.held))),
        _changes(Theorem.FALLBACK_NOT_WIDER, _fallback(before, after)),
        _changes(Theorem.NO_MORE_TEXT_KEPT, _text_kept(before, after)),
        _changes(Theorem.NO_LESS_TEXT_KEPT, map(_reverse, _text_kept(after, before))),
        _changes(Theorem.NO_CAP_RAISED, _raised(before, after)),
        _changes(Theorem.NO_CAP_LOWERED, map(_reverse, _raised(after, before))),
        _changes(Theorem.NO_INTENT_GONE, (Change(about=name) for name in before.reach if name not in after.reach)),
        _changes(Theorem.NO_INTENT_NEW, (Change(about=name) for name in after.reach if name not in before.reach)),
        _changes(Theorem.SAME_RECOGNITION, _recognition(before, after)),
        _changes(Theorem.INVARIANTS_KEPT, _invariants(before, after)),
        *_of_kinds(before, after),
        *decide_profile(before.profile, after.profile, [name for name in before.reach if name in after.reach]),
    )
    return {result.theorem: result for result in found}


def _of_kinds(before: Facts, after: Facts) -> Iterator[Result]:
    """Yield who files what, what becomes of the kinds themselves, and the rule of two reviewers."""
    for right, gained, lost in _RIGHTS:
        had, has = before.rights[right], after.rights[right]
        yield _changes(gained, (Change(about=kind, after=role) for kind, role in _pairs(_without(has, had))))
        yield _changes(lost, (Change(about=kind, before=role) for kind, role in _pairs(_without(had, has))))
    yield _changes(Theorem.NO_KIND_RETIRED, map(_about, sorted(before.in_use - after.in_use)))
    yield _changes(Theorem.NO_KIND_TAKEN_UP, map(_about, sorted(after.in_use - before.in_use)))
    yield _changes(Theorem.SAME_RETENTION, _other(before.retention, after.retention))
    yield _changes(Theorem.SAME_SOURCE, _other(before.sources, after.sources))
    yield _changes(Theorem.TWO_REVIEWERS_KEPT, map(_about, sorted(before.two_for - after.two_for)))


def _pairs(sets: _Cells) -> Iterator[tuple[str, str]]:
    return ((name, each) for name, several in _sorted(sets) for each in several)


def _about(name: str) -> Change:
    return Change(about=name)


def _other(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    for kind in sorted(before.keys() & after.keys()):
        if before[kind] != after[kind]:
            yield Change(about=kind, before=before[kind], after=after[kind])


def _gained(old_held: Held, old_reach: _Cells, held: Held, reach: _Cells) -> Iterator[Block]:
    staying, added = _common(held, old_held), _without(held, old_held)
    new = _without(reach, old_reach)
    for places, cells in ((staying, new), (added, reach)):
        block = Block(places=_sorted(places), cells=_sorted(cells))
        if block.places and block.cells:
            yield block


def _places(held: Held) -> Iterator[Block]:
    if places := _sorted(held):
        yield Block(places=places)


def _any(facts: Facts) -> frozenset[str]:
    return frozenset().union(*facts.reach.values())


def _common(one: _Cells, other: _Cells) -> _Cells:
    return {name: each & other.get(name, frozenset()) for name, each in one.items()}


def _without(one: _Cells, other: _Cells) -> _Cells:
    return {name: each - other.get(name, frozenset()) for name, each in one.items()}


def _sorted(sets: _Cells) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(sorted(each))) for name, each in sorted(sets.items()) if each)


def _permitted(before: Facts, after: Facts) -> Iterator[Change]:
    for intent, kinds in _sorted(_without(after.reach, before.reach)):
        for kind in kinds:
            yield Change(about=intent, after=kind)


def _fallback(before: Facts, after: Facts) -> Iterator[Change]:
    for kind in sorted(after.reach[FALLBACK] - before.reach[FALLBACK]):
        yield Change(about=kind)


def _text_kept(before: Facts, after: Facts) -> Iterator[Change]:
    """An intent that was not there recorded no question with its text."""
    for name, mode in after.recording.items():
        was = before.recording.get(name)
        if mode == WITH_TEXT and was != WITH_TEXT:
            yield Change(about=name, before=was, after=mode)


def _raised(before: Facts, after: Facts) -> Iterator[Change]:
    for kind, cap in after.caps.items():
        if cap > before.caps.get(kind, 0):
            yield Change(about=kind, before=_figure(before.caps.get(kind)), after=_figure(cap))


def _recognition(before: Facts, after: Facts) -> Iterator[Change]:
    for name in sorted({*before.recognition, *after.recognition}):
        was, now = (_json(side.recognition.get(name)) for side in (before, after))
        if was != now:
            yield Change(about=name, before=was, after=now)


def _invariants(before: Facts, after: Facts) -> Iterator[Change]:
    kept = {_json(each) for each in after.invariants}
    for each in map(_json, before.invariants):
        if each is not None and each not in kept:
            yield Change(about=each)


def _reverse(change: Change) -> Change:
    return Change(about=change.about, before=change.after, after=change.before)


def _figure(value: int | None) -> str | None:
    return None if value is None else str(value)


def _json(value: Any) -> str | None:
    if value is None:
        return None
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _blocks(theorem: Theorem, blocks: Iterator[Block]) -> Result:
    return Result(theorem=theorem, blocks=tuple(blocks))


def _changes(theorem: Theorem, changes: Iterator[Change]) -> Result:
    return Result(theorem=theorem, changes=tuple(changes))
