"""The category of answers that the policy keeps for the person who asked."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from apps.audit.errors import PayloadDamagedError
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Entry, Page, Person
from apps.retrieval.kept.history import content_of
from apps.retrieval.models import KeptAnswer

_PER_PAGE: Final = 100


def _answers(person: Person, after: object | None) -> Page:
    start = after if isinstance(after, int) else 0
    kept = KeptAnswer.objects.filter(
        asker_id=person.id, asked_at__lte=person.until, expires_at__gt=timezone.now()
    ).order_by("asked_at", "id")
    rows = list(kept[start : start + _PER_PAGE])
    return Page(
        entries=[_entry(row) for row in rows],
        after=start + _PER_PAGE if len(rows) == _PER_PAGE else None,
    )


def _entry(row: KeptAnswer) -> Entry:
    told = {
        "at": at(row.asked_at),
        "until": at(row.expires_at),
        "shared_at": at(row.shared_at),
        "event": str(row.id),
    }
    try:
        content = content_of(row)
    except PayloadDamagedError:
        return {**told, "question": "can't be read: tell the data protection officer"}
    return {
        **told,
        "question": content.question,
        "answer": content.answer.text,
        "citations": [
            f"{each.document_title}, version {each.version}, page {each.page}: {each.quote}"
            for each in content.answer.citations
        ],
    }


ANSWERS: Final = Category(
    key="kept_answers",
    title="Answers that are kept for you",
    about="Your questions with their answers, where the policy keeps them. Only you can read them, and whoever you "
    "shared an answer with.",
    purpose="So that you find again what you were answered.",
    legal_basis="6(1)(f) legitimate interest: that work with answers can go on",
    source="You, and the documents that answered you.",
    retention="For as many days as the policy says, 90 at most; less if a document of the answer is removed.",
    fields={
        "at": "When",
        "question": "Question",
        "answer": "Answer",
        "citations": "Citations",
        "shared_at": "Shared since",
        "until": "Kept until",
        "event": "Audit event",
    },
    read=_answers,
)
