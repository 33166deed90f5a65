"""A new evaluation question as it comes from its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from apps.corpus.models import Document
from apps.quality.errors import EvaluationQuestionError
from apps.quality.page_numbers import parse_pages
from apps.quality.selectors.evaluation import document_named
from apps.retrieval.errors import EmptyQuestionError
from apps.tenants.selectors.directory import ScopeNode

# Error code of the service -> the field that it stands beside.
ERROR_FIELDS = {
    "retrieval.question_empty": "text",
    "retrieval.question_unreadable": "text",
    "retrieval.question_too_long": "text",
    "retrieval.evaluation_question_taken": "text",
    "retrieval.expected_document_unknown": "document",
    "retrieval.expected_document_outside_scope": "scope",
    "tenants.scope_not_granted": "scope",
    "retrieval.expected_pages_unknown": "pages",
}

# A browser takes plain blanks at the start of an option away.
_INDENT = "\u2003"


class EvaluationForm(forms.Form):
    """Args: nodes: the scopes that the person holds, parents before children."""

    text = forms.CharField(
        label="Question",
        # The service says what can't be read as a question, in the words of the Ask page.
        strip=False,
        error_messages={"required": EmptyQuestionError.message},
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="As somebody would ask it. At most 500 characters.",
    )
    scope = forms.ChoiceField(
        label="Asked within",
        widget=UnfoldAdminSelectWidget(),
        help_text="Includes all scopes below it. Only people who hold this scope see the question.",
    )
    document = forms.CharField(
        label="Document that answers it",
        max_length=300,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "evaluation-documents", "autocomplete": "off"}),
        help_text="Type some words of its title, then choose. If there is a later version, that version is expected.",
    )
    pages = forms.CharField(
        label="Pages that answer it",
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "4, 7-9", "autocomplete": "off"}),
        help_text="If empty, finding the document is enough.",
    )

    def __init__(self, data: Any = None, *, nodes: Sequence[ScopeNode]) -> None:
        super().__init__(data)
        field = self.fields["scope"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [
                (node.scope.key, f"{_INDENT * node.depth}{node.scope.name} ({node.scope.key})") for node in nodes
            ]

    def clean_document(self) -> Document:
        name: str = self.cleaned_data["document"].strip()
        found = document_named(name) if "\0" not in name else []
        if not found:
            raise forms.ValidationError(
                EvaluationQuestionError("retrieval.expected_document_unknown", document=f"“{name}”").detail
            )
        if len(found) > 1:
            raise forms.ValidationError(
                "Several documents have this name. Choose one by its short name from the suggestions."
            )
        return found[0]

    def clean_pages(self) -> tuple[int, ...]:
        try:
            return parse_pages(self.cleaned_data["pages"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
