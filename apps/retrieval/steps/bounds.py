"""What the profile's bounds do beside looking for words: which jurisdictions may be named, and which models may write.

Jurisdictions are read as everywhere in the pipeline: a country that is plainly named as the law or the seat. Embedding
comes before the intent is known, so a bound of models says nothing of it; the tenant's residency rule does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from apps.corpus.extraction.language import language_of_question
from apps.filings.text.territories import holds
from apps.intents.profile.contracts import Fired, ProfileRule, RuleSort
from apps.intents.profile.means import lets_write
from apps.retrieval.contracts import DocumentFilter
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.stages.question.jurisdiction_mentions import read_jurisdiction_mentions

_MOST_WORDS: Final = 80
_LONGEST_NAME: Final = 3
"""Words of the longest name of a jurisdiction that is looked for where case shows none."""


def fired_by_jurisdiction(text: str, language: str, rules: Iterable[ProfileRule]) -> tuple[Fired, ...]:
    """Return the rules whose jurisdictions do not hold one that the text plainly names, with the words that name it."""
    bounding = [rule for rule in rules if rule.sort is RuleSort.JURISDICTIONS]
    if not bounding:
        return ()
    mentions = [
        each
        for reading in _readings(text)
        for each in read_jurisdiction_mentions(reading, reading, language)
        if each.plain
    ]
    found = (
        (rule, tuple(dict.fromkeys(each.text for each in mentions if not _permits(rule, each.code))))
        for rule in bounding
    )
    return tuple(Fired(rule=rule, words=words) for rule, words in found if words)


def read_jurisdictions(text: str, language: str, rules: Iterable[ProfileRule]) -> tuple[Fired, ...]:
    """Return what fired_by_jurisdiction does, of a text whose language may not be known. apps.intents calls this."""
    return fired_by_jurisdiction(text, language or language_of_question(text), rules)


def within_jurisdictions(chosen: DocumentFilter, rules: Iterable[ProfileRule], intent: str) -> DocumentFilter:
    """Return the filter, narrowed to the jurisdictions that the intent's questions may be answered from.

    A document that states none stays in, as with every filter. What the question itself asks for lies within them, or
    it would have been refused; if the rule lets it pass, nothing outside is searched all the same.
    """
    for rule in rules:
        if rule.sort is RuleSort.JURISDICTIONS and rule.holds_for(intent):
            asked = tuple(code for code in chosen.jurisdictions if _permits(rule, code))
            chosen = replace(chosen, jurisdictions=asked or rule.terms)
    return chosen


def bind_models(deps: PipelineDependencies, intent: str) -> PipelineDependencies:
    """Return the dependencies without the model, if the policy does not let it write for this intent."""
    if not deps.generator.model or all(_lets_write(rule, deps) for rule in deps.profile if rule.holds_for(intent)):
        return deps
    return replace(deps, generator=deps.quoting, slots=deps.slots_without_model or deps.slots)


def not_written_by(deps: PipelineDependencies, intent: str) -> Sequence[str]:
    """Return a sentence that says why the model did not write the answer; none if it may."""
    if bind_models(deps, intent) is deps:
        return ()
    return (
        f"The policy does not let the model {deps.generator.model} in {deps.generator.region} write answers to "
        "questions of this intent, so the documents are quoted.",
    )


def _readings(text: str) -> Iterator[str]:
    """Yield the text, and where its case shows no names, the text with each of its words as a name in turn.

    Writing all in capitals, or nothing, is no way past a bound.
    """
    yield text
    capitals, small = sum(map(str.isupper, text[1:])), sum(map(str.islower, text[1:]))
    if 0 < capitals <= small:
        return
    words = text.lower().split()[:_MOST_WORDS]
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(words)) + 1):
            yield " ".join((*words[:start], *map(str.capitalize, words[start:end]), *words[end:]))


def _permits(rule: ProfileRule, code: str) -> bool:
    return any(holds(permitted, code) for permitted in rule.terms)


def _lets_write(rule: ProfileRule, deps: PipelineDependencies) -> bool:
    return lets_write(rule, model=deps.generator.model, region=deps.generator.region)
