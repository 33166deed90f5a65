"""The question and the scopes to stay within, as they come from the Ask page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms

from apps.tenants.selectors.directory import ScopeNode


class QuestionField(forms.Field):
    """The text as it was typed.

    Not a CharField: that would strip the text and refuse control characters in words of its own, and the API would
    say something else of the same question. What can be read as a question is decided in one place, by the pipeline.
    """

    def to_python(self, value: object) -> str:
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeChoice:
    """A scope as a checkbox. parent is the key of the scope above it, if the person holds that one too."""

    key: str
    name: str
    depth: int
    parent: str
    ticked: bool


class AskForm(forms.Form):
    """Args: nodes: the scopes that the person holds, parents before children.
    ticked: of a form that was not sent, the scopes that are ticked; None for all.
    """

    # The model is still being loaded: the page sends the question again by itself.
    asks_again = False
    question = QuestionField(required=False)
    scopes = forms.MultipleChoiceField(
        error_messages={
            "required": "Choose at least one scope. Without a scope, nothing can be reached.",
            "invalid_choice": "There is no scope of that name that you may use.",
        }
    )

    def __init__(self, data: Any = None, *, nodes: Sequence[ScopeNode], ticked: Collection[UUID] | None = None) -> None:
        super().__init__(data)
        self._nodes = tuple(nodes)
        self._ticked = ticked
        field = self.fields["scopes"]
        if isinstance(field, forms.MultipleChoiceField):
            field.choices = [(node.scope.key, node.scope.name) for node in nodes]

    def clean_scopes(self) -> list[str]:
        """A scope includes all below it, so a ticked one with an unticked one below says two things at once."""
        ticked: list[str] = self.cleaned_data["scopes"]
        for choice in self.scope_choices():
            if choice.parent in ticked and not choice.ticked:
                names = {node.scope.key: node.scope.name for node in self._nodes}
                raise forms.ValidationError(
                    f"{names[choice.parent]} includes {choice.name}. Untick {names[choice.parent]} as well to leave "
                    f"{choice.name} out."
                )
        return ticked

    def scopes_in_words(self) -> str:
        """What is searched, for the line above the checkboxes."""
        choices = self.scope_choices()
        ticked = [choice for choice in choices if choice.ticked]
        if len(ticked) == len(choices):
            return "Within all scopes that you hold" if len(choices) != 1 else f"Within {choices[0].name}"
        return f"Within {len(ticked)} of {len(choices)} scopes that you hold"

    def scope_choices(self) -> tuple[ScopeChoice, ...]:
        """The checkboxes: all ticked at first, later as they were sent or as the question was asked."""
        sent = set(self.data.getlist("scopes")) if self.is_bound and hasattr(self.data, "getlist") else None
        if sent is None and self._ticked is not None:
            sent = {node.scope.key for node in self._nodes if node.scope.id in self._ticked}
        keys = {node.scope.id: node.scope.key for node in self._nodes}
        return tuple(
            ScopeChoice(
                key=node.scope.key,
                name=node.scope.name,
                depth=node.depth,
                parent=keys.get(node.scope.parent_id, "") if node.scope.parent_id else "",
                ticked=sent is None or node.scope.key in sent,
            )
            for node in self._nodes
        )
