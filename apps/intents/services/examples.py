"""Add one question to a draft as a golden example."""

from __future__ import annotations

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
    question = " ".join(text.split())
    if not question:
        raise EmptyExampleError
    with transaction.atomic():
        draft = None if draft_id is None else own_draft(draft_id)
        # Check this before a new draft is started, so that a refusal names a version that exists.
        content = policy_in_force() if draft is None else version_snapshot(draft)
        _require_new(question, intent, content)
        if draft is None:
            draft = draft_start(reason=reason)
        added = GoldenQuestion(id=uuid4(), text=question, intent=intent)
        content = replace(content, examples=(*content.examples, added))
        draft = draft_save(draft.id, content=content, reason=draft.reason, revision=draft.revision)
        return _row(draft, added)


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
