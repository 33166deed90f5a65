"""Describe the changes between two policies in words, with what questions can newly reach first. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final

from apps.corpus.kinds import Kind, Right
from apps.intents.contracts import UNRECOGNISED, FallbackRule, IntentRule, PolicySnapshot, RecordingMode
from apps.intents.diff_kinds import ChangeKind, PolicyChange, holders_in_words, kind_changes
from apps.intents.diff_profile import profile_changes
from apps.intents.diff_words import RECOGNITION, RECORDED, kinds_in_words, listed, quoted, setting_in_words
from apps.intents.proof.invariants import invariant_words
from apps.intents.proof.words import names_of
from apps.intents.rendering import policy_sha256
from apps.intents.snapshots.content import policy_content

__all__ = ["SAME", "ChangeKind", "PolicyChange", "PolicyDiff", "policy_diff", "policy_diff_json"]

SAME: Final = "They say the same."


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDiff:
    """The changes from one policy to another: what widens, then what narrows, then the rest."""

    changes: tuple[PolicyChange, ...]

    @property
    def widens(self) -> tuple[PolicyChange, ...]:
        return self._of(ChangeKind.WIDENS)

    @property
    def narrows(self) -> tuple[PolicyChange, ...]:
        return self._of(ChangeKind.NARROWS)

    @property
    def other(self) -> tuple[PolicyChange, ...]:
        return self._of(ChangeKind.OTHER)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return one sentence per change, or one sentence that says that there are none."""
        return tuple(change.sentence for change in self.changes) or (SAME,)

    def _of(self, kind: ChangeKind) -> tuple[PolicyChange, ...]:
        return tuple(change for change in self.changes if change.kind is kind)


def policy_diff(before: PolicySnapshot, after: PolicySnapshot) -> PolicyDiff:
    """Return the changes in words; there are none if and only if the contents are equal."""
    changes = [
        *_intent_changes(before, after),
        *_rule_changes(before.fallback, after.fallback, name=UNRECOGNISED),
        *_kind_changes(before, after),
        *_threshold_changes(before, after),
        *_example_changes(before, after),
        *_term_changes(before, after),
        *_order_changes(before, after),
        *_retrieval_changes(before, after),
        *_invariant_changes(before, after),
        *profile_changes(before.profile, after.profile, names_of(before, after).intent),
        *_reviewer_changes(before, after),
    ]
    if not changes and policy_content(before) != policy_content(after):
        changes.append(_other("They differ in a detail that can't be put into words; compare the two files."))
    order = list(ChangeKind)
    return PolicyDiff(changes=tuple(sorted(changes, key=lambda change: order.index(change.kind))))


def policy_diff_json(before: PolicySnapshot, after: PolicySnapshot) -> dict[str, Any]:
    """Return the diff as JSON for a program."""
    diff = policy_diff(before, after)
    return {
        "same": not diff.changes,
        "before": {"version": before.number or None, "content_sha256": policy_sha256(before)},
        "after": {"version": after.number or None, "content_sha256": policy_sha256(after)},
        "changes": [
            {"kind": change.kind.value, "intent": change.intent, "sentence": change.sentence} for change in diff.changes
        ],
    }


def _intent_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    for rule in after.intents:
        earlier = before.intent(rule.name)
        if earlier is not None:
            yield from _rule_changes(earlier, rule, name=rule.name)
            continue
        yield PolicyChange(
            kind=ChangeKind.WIDENS if rule.kinds else ChangeKind.OTHER,
            sentence=f"There is a new intent, {rule.label}: its questions can reach {kinds_in_words(rule.kinds)}.",
            intent=rule.name,
        )
        if rule.recording_mode is not RecordingMode.HASH_ONLY:
            yield _other(f"Questions of {rule.label} are recorded {RECORDED[rule.recording_mode]}.", rule.name)
    for rule in before.intents:
        if after.intent(rule.name) is None:
            reach = kinds_in_words(rule.kinds)
            yield PolicyChange(
                kind=ChangeKind.NARROWS if rule.kinds else ChangeKind.OTHER,
                sentence=f"The intent {rule.label} was removed: its questions could reach {reach}.",
                intent=rule.name,
            )


def _rule_changes(
    before: IntentRule | FallbackRule, after: IntentRule | FallbackRule, *, name: str
) -> Iterator[PolicyChange]:
    who = after.label if name else "Unrecognised questions"
    questions = f"Questions of {after.label}" if name else who
    gained = [kind for kind in after.kinds if kind not in before.kinds]
    lost = [kind for kind in before.kinds if kind not in after.kinds]
    if gained:
        yield PolicyChange(
            kind=ChangeKind.WIDENS, sentence=f"{who} can now reach {kinds_in_words(gained)}.", intent=name
        )
    if lost:
        sentence = f"{who} can no longer reach {kinds_in_words(lost, 'or')}."
        yield PolicyChange(kind=ChangeKind.NARROWS, sentence=sentence, intent=name)
    if after.recording_mode is not before.recording_mode:
        yield _other(f"{questions} are now recorded {RECORDED[after.recording_mode]}.", name)
    if after.label != before.label:
        what = before.label if name else "The fallback for unrecognised questions"
        yield _other(f"{what} is now called {quoted(after.label)}.", name)
    if after.description != before.description:
        whose = after.label if name else "the fallback"
        yield _other(f"The description of {whose} now reads: {quoted(after.description)}", name)


def _kind_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    old = {budget.kind: budget for budget in before.budgets}
    new = {budget.kind: budget for budget in after.budgets}
    for kind, budget in new.items():
        if kind not in old:
            rights = [
                f"{holders_in_words(budget, right)} may {right.value} it"
                if right is Right.UPLOAD
                else f"{holders_in_words(budget, right)} may {right.value} its documents"
                for right in Right
                if budget.named_for(right)
            ]
            sentence = (
                f"There is a new kind of document, {budget.kind.label}; its context budget is {budget.cap_chars:,} "
                f"characters{''.join(f', and {each}' for each in rights)}."
            )
            yield PolicyChange(kind=ChangeKind.WIDENS, sentence=sentence)
            if budget.retired:
                yield _other(f"{budget.kind.label} is retired: nothing is uploaded as such.")
        else:
            yield from kind_changes(old[kind], budget)
    for kind, budget in old.items():
        if kind not in new:
            sentence = f"{budget.kind.label}: this kind of document is left out, so no question reaches it."
            yield PolicyChange(kind=ChangeKind.NARROWS, sentence=sentence)
    if before.total_cap_chars != after.total_cap_chars:
        yield _other(f"The total cap goes from {before.total_cap_chars:,} to {after.total_cap_chars:,} characters.")
    yield from _priority_changes(
        [kind for kind in before.kinds if kind in new], [kind for kind in after.kinds if kind in old]
    )


def _priority_changes(before: list[Kind], after: list[Kind]) -> Iterator[PolicyChange]:
    """Yield one sentence for each kind that moved, relative to a kind that kept its place."""
    kept = _longest_rising([before.index(kind) for kind in after])
    stable = [before[place] for place in kept]
    for kind in after:
        if kind in stable:
            continue
        below = [other for other in stable if after.index(other) > after.index(kind)]
        overtaken = next((other for other in below if before.index(other) < before.index(kind)), None)
        if overtaken is not None:
            yield _other(f"{kind.label} will now come before {overtaken.label} when not everything fits.")
            continue
        above = [other for other in stable if after.index(other) < after.index(kind)]
        passed = next(other for other in reversed(above) if before.index(other) > before.index(kind))
        yield _other(f"{kind.label} will now come after {passed.label} when not everything fits.")


def _threshold_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    for field in fields(after.classifier):
        old, new = getattr(before.classifier, field.name), getattr(after.classifier, field.name)
        if old != new:
            kind = ChangeKind.OTHER
            if field.name in RECOGNITION:
                kind = ChangeKind.WIDENS if new < old else ChangeKind.NARROWS
            yield PolicyChange(kind=kind, sentence=setting_in_words(field.name, old, new))


def _example_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    old = Counter((example.text, example.intent) for example in before.examples)
    new = Counter((example.text, example.intent) for example in after.examples)
    gone, added = list((old - new).elements()), list((new - old).elements())
    for text, intent in added:
        origin = next((earlier for other, earlier in gone if other == text), None)
        if origin is None:
            yield _other(f"A review example of {_name(after, intent)} was added: {quoted(text)}", intent)
        else:
            gone.remove((text, origin))
            there, here = _name(before, origin), _name(after, intent)
            yield _other(f"A review example moved from {there} to {here}: {quoted(text)}", intent)
    for text, intent in gone:
        if intent and after.intent(intent) is None:
            continue  # the removed intent is reported already
        yield _other(f"A review example of {_name(before, intent)} was removed: {quoted(text)}", intent)


def _term_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    for rule in after.intents:
        name, label = rule.name, rule.label
        old, new = _terms(before.intent(name)), _terms(rule)
        for decisive, what in ((True, "Decisive terms"), (False, "Terms")):
            added = [text for text, weight in new.items() if weight is decisive and text not in old]
            if added:
                yield _other(f"{what} of {label} were added: {', '.join(map(quoted, added))}.", name)
        removed = [text for text in old if text not in new]
        if removed:
            yield _other(f"Terms of {label} were removed: {', '.join(map(quoted, removed))}.", name)
        for text in new:
            if text in old and old[text] is not new[text]:
                yield _other(
                    f"The term {quoted(text)} of {label} is {'now' if new[text] else 'no longer'} decisive.", name
                )


def _order_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    """Yield the changes of order, which are part of the content because the order decides a tie."""
    names = [rule.name for rule in after.intents if before.intent(rule.name)]
    if names != [rule.name for rule in before.intents if after.intent(rule.name)]:
        labels = listed([_name(after, name) for name in names])
        yield _other(f"The intents are in a different order, which decides a tie: {labels}.")
    for name in (*names, UNRECOGNISED):
        for what, old, new in (
            ("review examples", _examples(before, name), _examples(after, name)),
            ("decisive terms", _terms_of(before, name, decisive=True), _terms_of(after, name, decisive=True)),
            ("terms", _terms_of(before, name, decisive=False), _terms_of(after, name, decisive=False)),
        ):
            if [text for text in old if text in new] != [text for text in new if text in old]:
                yield _other(f"The {what} of {_name(after, name)} are in a different order.", name)


def _retrieval_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    old, new = before.retrieval.as_json(), after.retrieval.as_json()
    for name in new:
        if old[name] != new[name]:
            yield _other(setting_in_words(name, old[name], new[name]))


def _invariant_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    names = names_of(before, after)
    for each in after.invariants:
        if each not in before.invariants:
            yield _other(f"The invariant {quoted(each.name)} is set: {invariant_words(each, names)}")
    for each in before.invariants:
        if each not in after.invariants:
            yield _other(f"The invariant {quoted(each.name)} no longer holds: {invariant_words(each, names)}")


def _reviewer_changes(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[PolicyChange]:
    for each in after.two_reviewers_for:
        if each not in before.two_reviewers_for:
            yield _other(f"Two reviewers are now needed for {each.words}.")
    for each in before.two_reviewers_for:
        if each not in after.two_reviewers_for:
            yield _other(f"Two reviewers are no longer needed for {each.words}.")


def _other(sentence: str, intent: str | None = None) -> PolicyChange:
    return PolicyChange(kind=ChangeKind.OTHER, sentence=sentence, intent=intent)


def _name(snapshot: PolicySnapshot, intent: str) -> str:
    rule = snapshot.intent(intent)
    return rule.label if rule else "the unrecognised questions"


def _terms(rule: IntentRule | None) -> dict[str, bool]:
    return {term.text: term.decisive for term in rule.terms} if rule else {}


def _terms_of(snapshot: PolicySnapshot, intent: str, *, decisive: bool) -> list[str]:
    return [text for text, weight in _terms(snapshot.intent(intent)).items() if weight is decisive]


def _examples(snapshot: PolicySnapshot, intent: str) -> list[str]:
    return [example.text for example in snapshot.examples if example.intent == intent]


def _longest_rising(places: list[int]) -> list[int]:
    """Return the longest increasing subsequence of the places; of several, the one with the later places."""
    best: list[list[int]] = []
    for place in places:
        best.append([*max((run for run in reversed(best) if run[-1] < place), key=len, default=[]), place])
    return max(reversed(best), key=len, default=[])
