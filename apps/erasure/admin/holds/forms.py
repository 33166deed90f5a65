"""What a person writes to place, review and release a legal hold."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from apps.erasure.holds.selectors import members

_QUARTER = timedelta(days=90)


def _date_field(label: str, help_text: str) -> forms.DateField:
    widget = UnfoldAdminTextInputWidget(attrs={"type": "date"})
    return forms.DateField(
        label=label, help_text=help_text, widget=widget, error_messages={"invalid": "Choose a day, as 2026-12-31."}
    )


class HoldForm(forms.Form):
    matter = forms.CharField(
        label="Matter",
        max_length=200,
        widget=UnfoldAdminTextInputWidget,
        help_text="What it is about, so that later readers recognise it: Northwind v. Meridian, LG Hamburg.",
    )
    ground = forms.CharField(
        label="Ground",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="What obliges the firm to keep this: a claim, an order of a court or authority, a law.",
    )
    owner = forms.ChoiceField(
        label="Owner", widget=UnfoldAdminSelectWidget, help_text="The person who is responsible for it and reviews it."
    )
    review_on = _date_field("To be reviewed on", "From that day on the start page shows it until somebody decides.")

    def __init__(self, *args: Any, owner: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["owner"].choices = [  # type: ignore[attr-defined]
            (str(member.id), member.name) for member in members()
        ]
        self.fields["owner"].initial = owner
        self.fields["review_on"].initial = (timezone.now().date() + _QUARTER).isoformat()


class ItemsForm(forms.Form):
    """No field of its own: what is chosen stands beside it."""


class ReviewForm(forms.Form):
    review_on = _date_field("Review it again on", "After today.")
    reason = forms.CharField(
        label="Why the hold continues",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="The result of the review. It is kept in the audit log.",
    )


class ReleaseForm(forms.Form):
    reason = forms.CharField(
        label="Why the hold ends",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="For example: the proceedings ended with the settlement of 3 March.",
    )
