"""The categories of answers that the policy keeps for the person who asked, and of questions sent to the officers."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from apps.audit.errors import PayloadDamagedError
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Entry, Page, Person
from apps.retrieval.kept.history import content_of
from apps.retrieval.models import KeptAnswer, SentQuestion
from apps.retrieval.retrievers.documents import readable_among
from apps.retrieval.sent import content as sent

_PER_PAGE: Final = 100


def _answers(person: Person, after: object | None) -> Page:
    start = after if isinstance(after, int) else 0
    kept = KeptAnswer.objects.filter(
        asker_id=person.id, asked_at__lte=person.until, expires_at__gt=timezone.now()
    ).order_by("asked_at", "id")
    rows = list(kept[start : start + _PER_PAGE])
    readable = {row.id for row in readable_among(rows)}
    return Page(
        entries=[_entry(row, readable=row.id in readable) for row in rows],
        after=start + _PER_PAGE if len(rows) == _PER_PAGE else None,
    )


def _entry(row: KeptAnswer, *, readable: bool) -> Entry:
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
    if not readable:
        return {**told, "question": content.question, "answer": "not shown: a document of it is restricted"}
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


def _sent(person: Person, after: object | None) -> Page:
    start = after if isinstance(after, int) else 0
    rows = SentQuestion.objects.filter(asker_id=person.id, sent_at__lte=person.until).order_by("sent_at", "id")
    page = list(rows[start : start + _PER_PAGE])
    return Page(
        entries=[_sent_entry(row) for row in page],
        after=start + _PER_PAGE if len(page) == _PER_PAGE else None,
    )


def _sent_entry(row: SentQuestion) -> Entry:
    told = {
        "at": at(row.sent_at),
        "state": row.get_state_display(),
        "decided_at": at(row.decided_at),
        "event": str(row.event_id),
    }
    try:
        content, reply = sent.content_of(row), sent.reply_of(row)
    except PayloadDamagedError:
        return {**told, "question": "can't be read: tell the data protection officer"}
    return {**told, "question": content.question, "note": content.note, "reply": reply}


SENT: Final = Category(
    key="sent_questions",
    title="Questions that you sent to an officer",
    about="Questions without an answer that you sent to the compliance officers, and what they told you.",
    purpose="So that an officer can help where the documents or the policy give no answer.",
    legal_basis="6(1)(a) your consent, which you can withdraw by taking the question back",
    source="You, and the officer who decided.",
    retention="Until you take it back, and for 90 days after the decision at most.",
    fields={
        "at": "When",
        "question": "Question",
        "note": "Your note",
        "state": "What became of it",
        "decided_at": "Decided",
        "reply": "What the officer told you",
        "event": "Audit event",
    },
    read=_sent,
)
