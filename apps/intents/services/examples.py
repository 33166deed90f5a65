"""Add questions to a draft as golden examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

from django.db import transaction

from apps.intents.contracts import FALLBACK_NAME, UNRECOGNISED, GoldenQuestion, PolicySnapshot
from apps.intents.errors import DuplicateExampleError, EmptyExampleError, UnknownExampleIntentError
from apps.intents.models import GoldenExample, PolicyVersion
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import draft_save, draft_start, own_draft
from apps.intents.validation import example_key


def golden_example_add(*, text: str, intent: str, draft_id: UUID | None, reason: str = "") -> GoldenExample:
    """Add a golden example to the principal's own draft, or to a new draft that copies the version in force.

    Args:    text: the question; surrounding white space is removed, and inner white space becomes one blank.
             intent: an intent's name, or UNRECOGNISED for a counter-example.
             draft_id: None starts a new draft.
             reason: why the new draft is wanted; an existing draft keeps its reason.
    Returns: the example as a row of the draft.
    Raises:  EmptyExampleError; DuplicateExampleError: the draft has it, perhaps in another case or spacing;
             UnknownExampleIntentError; PermissionDeniedError, ReasonMissingError, NotADraftError, NotTheAuthorError,
             DraftChangedError, NoPolicyInForceError; PolicyVersion.DoesNotExist.
    """
    (added,) = golden_examples_add(texts=(text,), intent=intent, draft_id=draft_id, reason=reason)
    return added


def golden_examples_add(
    *, texts: Sequence[str], intent: str, draft_id: UUID | None, reason: str = ""
) -> tuple[GoldenExample, ...]:
    """Add several golden examples of one intent in one change: all of them or none.

    Args, Raises: as golden_example_add. Returns: the examples as rows of the draft, in the order of the texts.
    """
    questions = [" ".join(text.split()) for text in texts]
    if not questions or not all(questions):
        raise EmptyExampleError
    with transaction.atomic():
        draft = None if draft_id is None else own_draft(draft_id)
        # Check this before a new draft is started, so that a refusal names a version that exists.
        content = policy_in_force() if draft is None else version_snapshot(draft)
        added = []
        for question in questions:
            _require_new(question, intent, content)
            added.append(GoldenQuestion(id=uuid4(), text=question, intent=intent))
            content = replace(content, examples=(*content.examples, added[-1]))
        if draft is None:
            draft = draft_start(reason=reason)
        draft = draft_save(draft.id, content=content, reason=draft.reason, revision=draft.revision)
        return tuple(_row(draft, each) for each in added)


def _require_new(question: str, intent: str, content: PolicySnapshot) -> None:
    if intent != UNRECOGNISED and content.intent(intent) is None:
        known = ", ".join(rule.name for rule in content.intents)
        raise UnknownExampleIntentError(intent=intent, number=content.number, known=known)
    same = next((each for each in content.examples if example_key(each.text) == example_key(question)), None)
    if same is not None:
        raise DuplicateExampleError(text=same.text, label=content.label_of(same.intent), number=content.number)


def _row(draft: PolicyVersion, added: GoldenQuestion) -> GoldenExample:
    """Return the example's row; it is looked up by text, because each save gives a draft's rows new ids."""
    name = FALLBACK_NAME if added.intent == UNRECOGNISED else added.intent
    row: GoldenExample = GoldenExample.objects.get(intent__version=draft, intent__name=name, text=added.text)
    return row
