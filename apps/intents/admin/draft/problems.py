"""Which part of the editor a problem is about: validation names it in a sentence, the part is told from the words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from apps.intents.admin.draft.fields import FALLBACK, DraftFields
from apps.intents.admin.draft.settings import THRESHOLDS

_QUOTED: Final = re.compile(r"'([^']*)'")
_OF_BUDGETS: Final = re.compile(r"^kind |\b(budgets?|caps?|key of kind)\b")

# Words of validation's sentences -> the id of the part that they are about.
_WORDS: Final = (
    ("unrecognised question", f"intent-{FALLBACK}"),
    ("fallback", f"intent-{FALLBACK}"),
    ("total cap", "part-budgets"),
    ("two budgets", "part-budgets"),
    (" kinds; ", "part-budgets"),
    ("no kind in use", "part-budgets"),
    ("number of neighbours", "part-neighbours"),
    ("full term weight", "part-points_for_full_weight"),
    ("minimum accuracy", "part-minimum_golden_accuracy"),
    ("intents; ", "part-matrix"),
)

# Names of a firm's own follow, which may have any words.
_OF_INVARIANTS: Final = ("The invariant ", "An invariant ", "Two invariants ", "There are ")
_OF_PROFILE: Final = ("Profile rule ", "Profile: ", "The profile ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """`part` is the id of what it is about; empty where that can't be told."""

    part: str
    sentence: str


def placed_problems(sentences: Iterable[str], fields: DraftFields) -> tuple[Problem, ...]:
    """Each sentence with its part, in their order."""
    return tuple(Problem(part=_part(sentence, fields), sentence=sentence) for sentence in sentences)


def by_part(problems: Iterable[Problem]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for problem in problems:
        found[problem.part] += (problem.sentence,)
    return dict(found)


def _part(sentence: str, fields: DraftFields) -> str:
    if sentence.startswith(_OF_INVARIANTS):
        return "part-invariants"
    if sentence.startswith(_OF_PROFILE):
        return "part-profile"
    quoted = _QUOTED.findall(sentence)
    lowered = sentence.lower()
    kinds = {budget.kind for budget in fields.budgets}
    of_budgets = _OF_BUDGETS.search(lowered) is not None
    for text in quoted:
        # An intent may be called as a kind is (methodology): a sentence on budgets means the kind.
        if text in kinds and (of_budgets or not _intent(text, fields)):
            return f"budget-{text}"
        if found := _intent(text, fields):
            return found
        if any(text == setting.name for setting in THRESHOLDS):
            return f"part-{text}"
    example = re.search(r"example '(.*)' (?:occurs|expects)", sentence)
    if example:
        return _holding(example[1], fields)
    return next((part for words, part in _WORDS if words in lowered), "")


def _intent(name: str, fields: DraftFields) -> str:
    return next((f"intent-{row.key}" for row in fields.kept if row.name == name), "")


def _holding(example: str, fields: DraftFields) -> str:
    """The last intent with this example: where one occurs twice, the later is more often the newer."""
    rows = [row for row in (*fields.kept, fields.fallback) if example in map(str.casefold, row.examples)]
    return f"intent-{rows[-1].key}" if rows else ""
