"""Suggest review examples for an intent from the documents that it reaches. Nothing is added by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final
from uuid import UUID

import numpy as np

from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.tenant import tenant_provider
from apps.corpus.selectors import newest_passages
from apps.intents.contracts import UNRECOGNISED, PolicySnapshot
from apps.intents.errors import UnknownExampleIntentError
from apps.intents.instructions import core_question
from apps.intents.scoring import Vector, example_similarities, intent_scores, nearest_means
from apps.intents.selectors import version_snapshot
from apps.intents.services.desk import desk_vectors
from apps.intents.services.drafts import own_draft
from apps.intents.suggestion import MadeQuestion, SourcePassage, make_questions
from apps.intents.validation import example_key
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, release_connection

MOST_SUGGESTED: Final = 10
MOST_DOCUMENTS: Final = 40
_PASSAGES_OF_EACH: Final = 30
_MOST_WEIGHED: Final = 80
"""Questions whose vectors are made: each takes some milliseconds with the model on this machine."""
_SAME_MEANING: Final = 0.93
"""From this cosine similarity on, a question repeats another in other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggested:
    """What documents suggest for an intent.

    questions: at most ten. documents: how many were read. problem: why the meaning of questions could not be weighed,
    so that terms alone decided; empty where it was.
    """

    intent: str
    label: str
    questions: tuple[MadeQuestion, ...]
    documents: int
    problem: str


def suggest_examples(*, draft_id: UUID, intent: str, acting: ShortScopes) -> Suggested:
    """Suggest questions for an intent of the principal's own draft, from documents in the principal's scopes.

    A question is left out if another intent or the counter-examples recognise it better, if an example says the same,
    and if it may name a person. Call it outside of any scope: no transaction is open while the provider works.

    Raises: PermissionDeniedError; NotADraftError, NotTheAuthorError; UnknownExampleIntentError;
            PolicyVersion.DoesNotExist.
    """
    with acting.open():
        current_scope().principal.require(Permission.DOCUMENT_VIEW)
        snapshot = version_snapshot(own_draft(draft_id))
        rule = snapshot.intent(intent)
        if rule is None:
            known = ", ".join(each.name for each in snapshot.intents)
            raise UnknownExampleIntentError(intent=intent, number=snapshot.number, known=known)
        passages = [
            SourcePassage(
                document_id=each.document_id,
                title=each.document.title,
                page=each.page_start,
                section=each.section,
                text=each.text,
                language=each.document.language,
            )
            for each in newest_passages(rule.kinds, documents=MOST_DOCUMENTS, of_each=_PASSAGES_OF_EACH)
        ]
    kept = {example_key(each.text) for each in snapshot.examples}
    made = [each for each in make_questions(passages, _words_of(snapshot)) if example_key(each.text) not in kept]
    weighed = list(_in_turn(made))[:_MOST_WEIGHED]
    vectors, own, problem = _vectors(snapshot, [each.text for each in weighed], acting)
    return Suggested(
        intent=rule.name,
        label=rule.label,
        questions=tuple(_chosen(weighed, rule.name, snapshot, vectors, own)),
        documents=len({each.document_id for each in passages}),
        problem=problem,
    )


def _words_of(snapshot: PolicySnapshot) -> Iterator[str]:
    """Yield what the policy says to everybody anyway."""
    for rule in snapshot.intents:
        yield rule.description
        yield from (term.text for term in rule.terms)
    for budget in snapshot.budgets:
        yield budget.description


def _in_turn(made: Sequence[MadeQuestion]) -> Iterator[MadeQuestion]:
    """Yield one question of each document, then a second of each, and so on: a long one must not crowd out others."""
    by_document: dict[UUID, list[MadeQuestion]] = defaultdict(list)
    for each in made:
        by_document[each.document_id].append(each)
    for turn in zip_longest(*by_document.values()):
        yield from (each for each in turn if each is not None)


def _vectors(
    snapshot: PolicySnapshot, texts: Sequence[str], acting: ShortScopes
) -> tuple[Vector | None, Vector | None, str]:
    """Return the vectors of the examples and of the texts; None for both, with the reason, if they can't be made."""
    if not texts:
        return None, None, ""
    vectors, problem = desk_vectors(snapshot, acting)
    if vectors is None:
        return None, None, problem
    with acting.open():
        provider = tenant_provider()
    release_connection()
    try:
        return vectors, np.asarray(provider.embed_documents(list(texts)), dtype=np.float32), ""
    except ProviderError as error:
        return None, None, error.detail


def _chosen(
    made: Sequence[MadeQuestion], intent: str, snapshot: PolicySnapshot, examples: Vector | None, own: Vector | None
) -> Iterator[MadeQuestion]:
    taken: list[Vector] = []
    count = 0
    for number, question in enumerate(made):
        vector = None if own is None else own[number]
        similarities = example_similarities(snapshot, vector, examples)
        if not _belongs_to(intent, question.text, snapshot, similarities):
            continue
        if vector is not None and similarities is not None:
            alike = (*similarities, *(float(vector @ other) for other in taken))
            if max(alike, default=0.0) >= _SAME_MEANING:
                continue
            taken.append(vector)
        yield question
        count += 1
        if count == MOST_SUGGESTED:
            return


def _belongs_to(intent: str, text: str, snapshot: PolicySnapshot, similarities: tuple[float, ...] | None) -> bool:
    """Return whether no other intent, and no counter-example, is nearer to a question than this intent."""
    best, *others = intent_scores(core_question(text).text, snapshot, similarities)
    outside = nearest_means(snapshot, similarities)[UNRECOGNISED]
    second = max((each.score for each in others), default=0.0)
    margin = snapshot.classifier.minimum_margin if similarities else snapshot.classifier.minimum_term_margin
    is_best = best.intent == intent and best.score > 0 and best.score - second >= margin
    return is_best and (outside is None or outside < best.score)
