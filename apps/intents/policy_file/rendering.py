"""A policy version as the one file, written as the shipped packs are: the same version gives the same bytes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from typing import Final

from apps.corpus.kinds import SourceType, words_of_key
from apps.intents.contracts import UNRECOGNISED, ClassifierSettings, IntentRule, KindBudget, PolicySnapshot
from apps.intents.invariants import Invariant
from apps.intents.policy_file import layout
from apps.intents.policy_file.profile import render_profile
from apps.intents.retrieval_settings import RetrievalSettings
from apps.intents.snapshots.content import default_class

_HEADER: Final = '''\
"""A policy: which kinds of document each sort of question may reach, and how that sort is recognised.

This file is meant to be read by a compliance officer. It says, for each intent (a sort of question), which kinds of
document may be used for the answer, and by which words and examples the intent is recognised. Nothing else decides
that. Every tenant starts with a shipped pack, a file of apps/intents/packs/, as its version 1; a change there reaches
new tenants only. To change a tenant's policy, import a file like this one with `manage.py policy import`: it becomes a
draft, and another person approves it.

A decisive term says by itself what is asked for ("why", "house style"); the other terms lend support. In a term, `#`
stands for any one digit. Endings do not matter: "calculate" also finds "calculated".
"""

from __future__ import annotations

from apps.intents.baseline_types import BaselineBudget, BaselineClassifier, BaselineFallback, BaselineIntent

INTENTS: list[BaselineIntent] = [
'''

_FALLBACK: Final = """\
]

# A question that no intent recognises reaches this and no more. The examples are counter-examples: a question that is
# nearest to them is unrecognised, however it is dressed up.
FALLBACK: BaselineFallback = {
"""

_BUDGETS: Final = """\
}

# The kinds of document that there are. Highest priority first: this is the order in the context, and what does not fit
# goes, the last ones first.
BUDGETS: list[BaselineBudget] = [
"""

_RETRIEVAL: Final = """
# Which passages are found. Without this block the settings are the shipped ones.
RETRIEVAL: dict[str, int | float | bool] = {
"""

_INVARIANTS: Final = """
# What no version may let through. `never`: these questions never reach these kinds; `only`: no others do. Without roles
# or intents, all are meant.
INVARIANTS: list[dict[str, str | list[str]]] = [
"""

_TWO_REVIEWERS: Final = """
# Which changes of this version take two reviewers, who are both not its author. Any change of this list does too.
TWO_REVIEWERS_FOR: list[str] = [
"""

_CLASSIFIER_NOTES: Final = {
    "neighbours": "the score starts from the mean similarity of this many nearest examples",
    "term_weight": "what matched terms can add to it at most",
    "decisive_points": "a decisive term counts this much, any other term 1",
    "points_for_full_weight": "so many points bring the whole term weight",
    "minimum_term_points": "the two below hold when no embedding is to be had",
    "minimum_golden_accuracy": "a version below this can't be approved",
}

_RETRIEVAL_NOTES: Final = {
    "minimum_question_chars": "a shorter question is not asked",
    "dense_top_k": "passages that search by meaning brings",
    "sparse_top_k": "passages that search by words brings",
    "rrf_k": "the two rankings are fused by 1 / (this + rank)",
    "fused_top_k": "passages that are kept of both",
    "mmr_enabled": "whether near-duplicates are spread out",
    "rerank_enabled": "whether a reranker reorders the passages",
    "cut_off_cumulative_probability": "the tail goes once so much of the probability is covered",
    "cut_off_score_cliff": "or where the score falls by more than this",
    "heal_rounds": "how often it is asked again for what is missing",
    "history_days": "for how many days an answer is kept, encrypted, for who asked; 0: not at all",
}


def render_policy_file(snapshot: PolicySnapshot) -> str:
    """What the version says as the one file, without its number, people and dates: see version_heading."""
    return "".join(
        [
            _HEADER,
            *(_lines(line for rule in snapshot.intents for line in _intent(rule, snapshot))),
            _FALLBACK,
            *_lines(_fallback(snapshot)),
            _BUDGETS,
            *_lines(
                line
                for budget in sorted(snapshot.budgets, key=lambda budget: budget.position)
                for line in _budget(budget)
            ),
            f"]\n\nTOTAL_CAP = {snapshot.total_cap_chars}  # characters of context in all\n\n",
            "CLASSIFIER: BaselineClassifier = {\n",
            *_lines(_classifier(snapshot.classifier)),
            "}\n",
            *_lines(_retrieval(snapshot.retrieval)),
            *_lines(_invariants(snapshot.invariants)),
            *_lines(render_profile(snapshot.profile)),
            *_lines(_two_reviewers(snapshot)),
        ]
    )


def version_heading(snapshot: PolicySnapshot) -> str:
    """Comment lines that say which version it is and who answers for it; empty for the shipped baseline.

    They stand above the file and are not read when it is imported.
    """
    if snapshot.origin == "baseline" or not snapshot.number:
        return ""
    words = (
        f"Policy version {snapshot.number}, {_validity(snapshot)}. Author: {snapshot.author_label or 'unknown'}. "
        f"Approved by: {snapshot.approver_label or 'nobody yet'}. These lines are not read when the file is imported."
    )
    return "".join(
        f"{line}\n"
        for line in textwrap.wrap(
            layout.escaped(words), layout.WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
        )
    )


def _lines(lines: Iterator[str]) -> Iterator[str]:
    return (f"{line}\n" for line in lines)


def _intent(rule: IntentRule, snapshot: PolicySnapshot) -> Iterator[str]:
    yield "    {"
    yield from layout.entry("name", rule.name, indent=8)
    yield from layout.entry("label", rule.label, indent=8)
    yield from layout.entry("description", rule.description, indent=8)
    yield from layout.row("kinds", [kind.value for kind in rule.kinds], indent=8)
    yield from layout.entry("recording_mode", rule.recording_mode.value, indent=8)
    yield from layout.commas("decisive_terms", [term.text for term in rule.terms if term.decisive], indent=8)
    yield from layout.commas("terms", [term.text for term in rule.terms if not term.decisive], indent=8)
    yield from layout.column("examples", _examples(snapshot, rule.name), indent=8)
    yield "    },"


def _fallback(snapshot: PolicySnapshot) -> Iterator[str]:
    rule = snapshot.fallback
    yield from layout.entry("label", rule.label, indent=4)
    yield from layout.entry("description", rule.description, indent=4)
    yield from layout.row("kinds", [kind.value for kind in rule.kinds], indent=4)
    yield from layout.entry("recording_mode", rule.recording_mode.value, indent=4)
    yield from layout.column("examples", _examples(snapshot, UNRECOGNISED), indent=4)


def _budget(budget: KindBudget) -> Iterator[str]:
    kind, label = f'"kind": {layout.literal(budget.kind.value)},', f'"label": {layout.literal(budget.label)},'
    details = list(_details(budget))
    line = f'    {{{kind} {label} "cap_chars": {budget.cap_chars}}},'
    if len(line) <= layout.WIDTH and not details:
        yield line
        return
    yield "    {"
    yield f"        {kind}"
    yield from layout.entry("label", budget.label, indent=8)
    yield f'        "cap_chars": {budget.cap_chars},'
    yield from details
    yield "    },"


def _details(budget: KindBudget) -> Iterator[str]:
    """Yield what a kind says beside its key, heading and cap, without what it would get anyway."""
    if budget.name and budget.name != words_of_key(budget.kind):
        yield from layout.entry("name", budget.name, indent=8)
    if budget.description:
        yield from layout.entry("description", budget.description, indent=8)
    if budget.examples:
        yield from layout.row("examples", budget.examples, indent=8)
    if budget.retention_class is not default_class(budget.kind):
        yield from layout.entry("retention_class", budget.retention_class.value, indent=8)
    if budget.source_category is not SourceType.INTERNAL:
        yield from layout.entry("source_category", budget.source_category.value, indent=8)
    for name in ("uploaders", "correctors", "removers"):
        if roles := getattr(budget, name):
            yield from layout.row(name, [role.value for role in roles], indent=8)
    if budget.retired:
        yield '        "retired": True,'


def _classifier(settings: ClassifierSettings) -> Iterator[str]:
    for field in fields(settings):
        value = getattr(settings, field.name)
        yield _setting(field.name, int(value) if field.name == "neighbours" else float(value), _CLASSIFIER_NOTES)


def _retrieval(settings: RetrievalSettings) -> Iterator[str]:
    # Compared as they are written: 1 and 1.0 are equal, and yet two contents.
    if repr(settings) == repr(RetrievalSettings()):
        return
    yield from _RETRIEVAL.splitlines()
    for name, value in settings.as_json().items():
        yield _setting(name, value, _RETRIEVAL_NOTES)
    yield "}"


def _invariants(invariants: tuple[Invariant, ...]) -> Iterator[str]:
    if not invariants:
        return
    yield from _INVARIANTS.splitlines()
    for each in invariants:
        yield "    {"
        yield from layout.entry("name", each.name, indent=8)
        yield from layout.entry("mode", each.mode.value, indent=8)
        for key in ("roles", "intents", "kinds"):
            yield from layout.row(key, getattr(each, key), indent=8)
        yield "    },"
    yield "]"


def _two_reviewers(snapshot: PolicySnapshot) -> Iterator[str]:
    if not snapshot.two_reviewers_for:
        return
    yield from _TWO_REVIEWERS.splitlines()
    for each in snapshot.two_reviewers_for:
        yield f'    "{each.value}",  # {each.words}'
    yield "]"


def _setting(name: str, value: int | float | bool, notes: dict[str, str]) -> str:
    note = f"  # {notes[name]}" if name in notes else ""
    return f'    "{name}": {value!r},{note}'


def _examples(snapshot: PolicySnapshot, intent: str) -> list[str]:
    return [example.text for example in snapshot.examples if example.intent == intent]


def _validity(snapshot: PolicySnapshot) -> str:
    if snapshot.valid_from is None:
        return snapshot.status.replace("_", " ")
    end = f" until {_moment(snapshot.valid_to)}" if snapshot.valid_to else ""
    return f"in force from {_moment(snapshot.valid_from)}{end}"


def _moment(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC"
