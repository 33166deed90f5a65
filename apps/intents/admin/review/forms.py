"""What a reviewer writes: a note, a date, a reason, a comment."""

from __future__ import annotations

from typing import Any

from django import forms
from unfold.widgets import INPUT_CLASSES, UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from apps.intents.errors import ReasonMissingError
from apps.intents.models import Turn

_REQUIRED = {"required": ReasonMissingError.message}


def _words(label: str, *, required: bool, help_text: str = "", missing: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=required,
        max_length=4000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=help_text,
        error_messages={"required": missing} if missing else _REQUIRED,
    )


class ReviewForm(forms.Form):
    """One act of a review. `seen` says what its writer had before them when they acted.

    The forms stand on one page: each has its own prefix, so that no two fields share an id.
    """

    # Errors stand beside their fields; a browser's own bubble would not say what to do.
    use_required_attribute = False

    def __init__(self, data: Any = None, *, prefix: str) -> None:
        super().__init__(data, prefix=prefix)


class NoteForm(ReviewForm):
    note = _words("Note", required=False, help_text="Optional. It stays with the version, for the record.")


class LaterForm(ReviewForm):
    effective_from = forms.DateTimeField(
        label="In force from, in UTC",
        # The browser's own field for a date with a time; Unfold's two fields need a script and name no zone.
        widget=forms.DateTimeInput(
            format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local", "class": " ".join(INPUT_CLASSES)}
        ),
        help_text="Universal time, not your own time zone.",
        error_messages={
            "required": "Enter the date and time from which it is in force.",
            "invalid": "Enter a date and a time, such as 2026-12-01 09:00.",
        },
    )
    note = _words("Note", required=False, help_text="Optional. It stays with the version, for the record.")


class ReasonForm(ReviewForm):
    reason = _words("Reason", required=True, help_text="The author needs it, and so does the audit log.")


class CommentForm(ReviewForm):
    """A comment; what it may be about is given by the page, and checked by the service."""

    about = forms.CharField(
        label="About",
        required=False,
        max_length=80,
        widget=UnfoldAdminSelectWidget(),
        help_text="The whole version, or a cell of the matrix. It stays with the cell if the draft is changed.",
    )
    text = _words(
        "Your comment",
        required=True,
        help_text="It can't be changed later, and carries your name and the time.",
        missing="Write your comment.",
    )


class AnswerForm(ReviewForm):
    """An answer to a comment. With a turn it may be without words."""

    text = _words("Your answer", required=False, missing="Write your answer.")
    turn = forms.ChoiceField(choices=Turn.choices, required=False, widget=forms.HiddenInput())
