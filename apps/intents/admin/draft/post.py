"""Read the editor's post into fields. Pure: it believes nothing, and keeps all that was typed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from apps.corpus.kinds import KIND_KEY
from apps.intents.admin.draft.fields import FALLBACK, BudgetFields, DraftFields, IntentFields, TermFields
from apps.intents.admin.draft.invariants import posted_invariants
from apps.intents.admin.draft.profile import posted_rules
from apps.intents.admin.draft.settings import RETRIEVAL, THRESHOLDS

UNKEPT: Final = "\ufffd"
"""Stands for a character that the database can't keep; the officer sees it and takes it out."""

MOST_INTENTS: Final = 30
MOST_EXAMPLES: Final = 1000
MOST_TERMS: Final = 2000
MOST_KINDS: Final = 60
MOST_SAMPLES: Final = 50
_KEY: Final = re.compile(r"i[1-9][0-9]{0,3}")

_INCOMPLETE: Final = "The form did not arrive completely, so nothing was saved. Save again."
_UNKNOWN_INTENT: Final = "A review example names an intent that is not in this form; it is not shown. Save again."
_UNKNOWN_KIND: Final = "The form named a kind of document that does not exist; it is not shown. Save again."
_TWICE: Final = "The form contained an intent or kind twice; the second was ignored. Save again."


class Posted(Protocol):
    """What of Django's QueryDict is needed."""

    def getlist(self, key: str, /) -> list[str]: ...


def fields_from(post: Posted, kinds: Iterable[str] = ()) -> DraftFields:
    """All that was typed. What can't be understood at all becomes a fault, in words.

    Args: kinds: the keys of those that the stored draft has; a form without one of them did not arrive completely.
    """
    faults: dict[str, None] = {}
    keys = _once([key for key in post.getlist("intent") if _KEY.fullmatch(key)], faults)
    if not keys or len(keys) > MOST_INTENTS:
        faults[_INCOMPLETE if not keys else f"More than {MOST_INTENTS} intents can't be kept in one draft."] = None
    keys = keys[:MOST_INTENTS]
    examples = _examples(post, keys, faults)
    budgets = _budgets(post, kinds, faults)
    known = tuple(budget.kind for budget in budgets if not budget.left_out)
    rows = [_intent(post, key, examples[key], known, faults) for key in (*keys, FALLBACK)]
    if sum(len(row.terms) for row in rows) > MOST_TERMS:
        faults[f"More than {MOST_TERMS} terms can't be kept in one draft."] = None
    return DraftFields(
        intents=tuple(rows[:-1]),
        fallback=rows[-1],
        budgets=budgets,
        total_cap=_line(post, "total_cap"),
        settings={setting.name: _line(post, f"setting-{setting.name}") for setting in (*THRESHOLDS, *RETRIEVAL)},
        reason=_text(post, "reason"),
        faults=tuple(faults),
        invariants=posted_invariants(post),
        profile=posted_rules(post),
        two_reviewers_for=tuple(post.getlist("two-for")) if post.getlist("two-reviewers") else None,
    )


def _intent(
    post: Posted, key: str, examples: list[str], known: tuple[str, ...], faults: dict[str, None]
) -> IntentFields:
    ticked = post.getlist(f"kind-{key}")
    if not set(ticked) <= {*known, *post.getlist("budget")}:
        faults[_UNKNOWN_KIND] = None
    terms, weights = post.getlist(f"term-{key}"), post.getlist(f"weight-{key}")
    if len(terms) != len(weights):
        faults[_INCOMPLETE] = None
    return IntentFields(
        key=key,
        name="" if key == FALLBACK else _line(post, f"name-{key}"),
        label=_line(post, f"label-{key}"),
        description=_text(post, f"description-{key}"),
        recording=_line(post, f"recording-{key}"),
        kinds=tuple(kind for kind in known if kind in ticked),
        examples=tuple(examples),
        terms=tuple(
            TermFields(text=tidied, decisive=weight == "decisive")
            for text, weight in zip(terms, weights, strict=False)
            if (tidied := _tidy(text))
        ),
        removed=key != FALLBACK and bool(post.getlist(f"remove-{key}")),
    )


def _examples(post: Posted, keys: list[str], faults: dict[str, None]) -> dict[str, list[str]]:
    texts, owners = post.getlist("example"), post.getlist("example-of")
    if len(texts) != len(owners):
        faults[_INCOMPLETE] = None
    found: dict[str, list[str]] = defaultdict(list)
    known = {*keys, FALLBACK}
    for text, owner in zip(texts, owners, strict=False):
        if not (tidied := _tidy(text)):
            continue
        if owner not in known:
            faults[_UNKNOWN_INTENT] = None
            continue
        found[owner].append(tidied)
    if sum(map(len, found.values())) > MOST_EXAMPLES:
        faults[f"More than {MOST_EXAMPLES} review examples can't be kept in one draft."] = None
    return found


def _budgets(post: Posted, kinds: Iterable[str], faults: dict[str, None]) -> tuple[BudgetFields, ...]:
    names = _once(post.getlist("budget"), faults)
    if not all(re.fullmatch(KIND_KEY, name) for name in names):
        faults[_UNKNOWN_KIND] = None
        names = [name for name in names if re.fullmatch(KIND_KEY, name)]
    if len(names) > MOST_KINDS:
        faults[f"More than {MOST_KINDS} kinds can't be kept in one draft."] = None
        names = names[:MOST_KINDS]
    missing = [kind for kind in kinds if kind not in names]
    if missing or not names:
        faults[_INCOMPLETE] = None
    return tuple(_budget(post, kind) for kind in (*names, *missing))


def _budget(post: Posted, kind: str) -> BudgetFields:
    return BudgetFields(
        kind=kind,
        label=_line(post, f"heading-{kind}"),
        cap=_line(post, f"cap-{kind}"),
        position=_line(post, f"position-{kind}"),
        name=_line(post, f"called-{kind}"),
        description=_text(post, f"about-{kind}"),
        examples=tuple(
            tidied for text in _text(post, f"samples-{kind}").split("\n")[:MOST_SAMPLES] if (tidied := _tidy(text))
        ),
        retention_class=_line(post, f"class-{kind}"),
        source_category=_line(post, f"source-{kind}"),
        uploaders=tuple(dict.fromkeys(post.getlist(f"uploader-{kind}"))),
        correctors=tuple(dict.fromkeys(post.getlist(f"corrector-{kind}"))),
        removers=tuple(dict.fromkeys(post.getlist(f"remover-{kind}"))),
        retired=bool(post.getlist(f"retired-{kind}")),
        left_out=bool(post.getlist(f"leave-{kind}")),
    )


def _once(values: list[str], faults: dict[str, None]) -> list[str]:
    if len(set(values)) != len(values):
        faults[_TWICE] = None
    return list(dict.fromkeys(values))


def _line(post: Posted, name: str) -> str:
    return _last(post, name, _tidy)


def _text(post: Posted, name: str) -> str:
    return _last(post, name, lambda text: text.replace("\r\n", "\n").replace("\0", UNKEPT).strip())


def _last(post: Posted, name: str, read: Callable[[str], str]) -> str:
    return read("".join(post.getlist(name)[-1:]))


def _tidy(text: str) -> str:
    """On one line, with one blank between two words: how texts are compared everywhere else."""
    return " ".join(text.replace("\0", UNKEPT).split())
