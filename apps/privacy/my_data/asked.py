"""The category of requests to erase the person's own account, with their letters."""

from __future__ import annotations

from collections import defaultdict
from typing import Final
from uuid import UUID

from apps.audit.errors import PayloadDamagedError
from apps.privacy.codes.requests import Requester, SubjectType
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Entry, Page, Person
from apps.privacy.requests.details import letter_text

# Requests of an authority or a court are left out: the law may keep them from the person for a time (Article 23).
_TOLD: Final = (Requester.PERSON, Requester.REPRESENTATIVE, Requester.FIRM)


def _requests(person: Person, after: object | None) -> Page:
    rows = list(
        ErasureRequest.objects.filter(
            subject_type=SubjectType.USER, subject_id=person.id, requester__in=_TOLD, created_at__lte=person.until
        ).order_by("received_at", "id")
    )
    letters: dict[UUID, list[Letter]] = defaultdict(list)
    for letter in Letter.objects.filter(request_id__in=[row.id for row in rows]).select_related("request"):
        letters[letter.request_id].append(letter)
    return Page(
        entries=[
            {
                "reference": row.reference,
                "asked_by": row.get_requester_display(),
                "received_on": row.received_on.isoformat(),
                "due_on": row.due_on.isoformat(),
                "state": row.get_state_display(),
                "finished_at": at(row.finished_at),
                "letters": [_letter(letter, addressed=row.requester == Requester.PERSON) for letter in letters[row.id]],
            }
            for row in rows
        ]
    )


def _letter(letter: Letter, *, addressed: bool) -> Entry:
    """Return a letter as an entry. Its text is shown only to the person to whom it was written."""
    told = {
        "kind": letter.get_kind_display(),
        "written_at": at(letter.created_at),
        "sent_at": at(letter.sent_at),
    }
    if not addressed:
        return {**told, "words": "written to the person who asked for you"}
    try:
        text = letter_text(letter)
    except PayloadDamagedError:
        return {**told, "words": "can't be read: tell the data protection officer"}
    return {**told, "words": "removed" if text is None else f"{text.subject}\n\n{text.body}"}


REQUESTS: Final = Category(
    key="erasure_requests",
    title="Requests to erase your account",
    about="Requests that you, somebody for you, or the firm made, with the letters. Ask the data protection officer "
    "for the firm's internal notes about them and for what authorities or courts ask; they tell you where the "
    "law allows it.",
    purpose="To answer the request in time, and to show that it was answered.",
    legal_basis="6(1)(c) legal obligation: Articles 12 and 17",
    source="Whoever made the request, and the firm's data protection officer.",
    retention="The words until their key is destroyed; number, dates and states stay as proof of what was done.",
    fields={
        "reference": "Number",
        "asked_by": "Asked by",
        "received_on": "Received on",
        "due_on": "To be answered by",
        "state": "State",
        "finished_at": "Answered",
        "letters": "Letters",
    },
    read=_requests,
)
