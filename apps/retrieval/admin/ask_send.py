"""“Send to an officer”, on the page of a question that got no answer: the form, and what became of what was sent."""

from __future__ import annotations

from typing import Any

from django import forms
from django.urls import reverse
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldBooleanWidget

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.retrieval.models import SentQuestion, SentState
from apps.retrieval.selectors.sent_questions import sent_of
from apps.retrieval.sent.content import content_of, reply_of
from apps.retrieval.sent.services import LONGEST_NOTE, may_be_sent
from apps.tenants.context import current_scope
from apps.tenants.display import pill

ERROR_FIELDS = {
    "retrieval.sent_without_consent": "consent",
    "retrieval.sent_other_text": "text",
    "retrieval.sent_note_too_long": "note",
}
_TONES = {SentState.SENT: "quiet", SentState.ANSWERED: "good", SentState.EXAMPLE: "good"}
# What each decision means for the person who asked.
MEANINGS = {
    SentState.SENT: "No officer has decided yet.",
    SentState.ANSWERED: "An officer wrote the answer below. It is theirs, and not checked against the documents.",
    SentState.EXAMPLE: "The question became a review example of a draft: once that is in force, similar questions are "
    "recognised.",
    SentState.MISSING: "What would answer the question is not among the documents.",
    SentState.WITHHELD: "The policy keeps the answer from questions like this one, and is meant to.",
}


class SendForm(forms.Form):
    """Args: known: whether the page still has the text of the question; if not, it is entered again."""

    text = forms.CharField(
        label="Your question, word for word",
        required=False,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "autocomplete": "off"}),
        help_text="Its words are not kept any more. They are compared with the hash in the audit log.",
    )
    note = forms.CharField(
        label="Note",
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "maxlength": LONGEST_NOTE}),
        help_text="For the officer: what you need it for, or where the answer should be. You may leave it empty.",
    )
    consent = forms.BooleanField(
        label="The officers may keep and read the text of my question",
        required=False,
        widget=UnfoldBooleanWidget,
        help_text="It is kept encrypted for the compliance officers of your scopes alone, until you take it back, and "
        "for 90 days after their decision at most.",
    )

    def __init__(self, data: Any = None, *, known: bool) -> None:
        super().__init__(data)
        if known:
            del self.fields["text"]


def send_context(event: Event, *, known: bool, form: SendForm | None) -> dict[str, Any]:
    """Return what the page shows of sending: the form, what was sent, or nothing for a question that was answered."""
    principal = current_scope().principal
    sent = sent_of([event.id], asker_id=principal.id).get(event.id) if principal.id else None
    answer = readings_of([event], groups=(Group.ANSWER,))[event.id].payload.get(Group.ANSWER, {})
    offered = sent is None and may_be_sent(event, answer)
    return {
        "sent": sent_shown(sent) if sent else None,
        "send_form": (form or SendForm(known=known)) if offered else None,
        "send_url": reverse("admin:ask_send", args=[event.id]),
        "take_back_url": reverse("admin:ask_take_back", args=[event.id]),
    }


def sent_shown(row: SentQuestion) -> dict[str, Any]:
    """Return what became of a question that was sent, for the person who asked and for the officer."""
    state = SentState(row.state)
    return {
        "row": row,
        "state": pill(state.label, _TONES.get(state, "warn")),
        "meaning": MEANINGS[state],
        "content": content_of(row),
        "reply": reply_of(row),
    }
