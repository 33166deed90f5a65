"""Choosing scopes: the visible tree as checkboxes or as a drop-down, indented."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from apps.tenants.models import Scope
from apps.tenants.selectors.directory import scope_tree

# An em space a level: a select can't nest its options.
_INDENT = "\u2003"


def scope_choices() -> list[tuple[str, str]]:
    """(id, label) of the scopes that the open scope may see, in the order of the tree."""
    return [
        (str(node.scope.id), f"{_INDENT * node.depth}{node.scope.name} ({node.scope.key})") for node in scope_tree()
    ]


def _scope(value: str | UUID) -> Scope:
    # Only a choice gets here, and the choices are the visible scopes.
    found: Scope = Scope.objects.get(id=value)
    return found


class ScopesField(forms.TypedMultipleChoiceField):
    """One or more scopes; cleans to a list of Scope."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=scope_choices, coerce=_scope, widget=UnfoldAdminCheckboxSelectMultipleWidget, **kwargs)
        self.error_messages["required"] = "Choose at least one scope. Without a scope, nothing can be reached."


class ScopeField(forms.TypedChoiceField):
    """One scope; cleans to a Scope, or to None where it is optional and left empty."""

    def __init__(self, *, empty_label: str = "", **kwargs: Any) -> None:
        def choices() -> list[tuple[str, str]]:
            return [("", empty_label)] * bool(empty_label) + scope_choices()

        super().__init__(choices=choices, coerce=_scope, empty_value=None, widget=UnfoldAdminSelectWidget, **kwargs)
