"""The editor's form as a browser without scripts sends it: what the page holds, with what somebody changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from django.http import QueryDict
from lxml import html

from apps.intents.admin.draft.fields import DraftFields


class Typed:
    """The fields of a form, by name; a name may have several values."""

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self.values = {name: list(each) for name, each in values.items()}

    @classmethod
    def from_page(cls, tree: html.HtmlElement) -> Self:
        found: dict[str, list[str]] = {}
        for name, value in tree.get_element_by_id("draft-form").form_values():
            found.setdefault(name, []).append(value)
        return cls(found)

    @classmethod
    def from_fields(cls, fields: DraftFields, revision: int = 1) -> Self:
        """As the page would hold them, without drawing it."""
        found: dict[str, list[str]] = {
            "revision": [str(revision)],
            "intent": [intent.key for intent in fields.intents],
            "example": [text for row in fields.rows for text in row.examples],
            "example-of": [row.key for row in fields.rows for _ in row.examples],
            "budget": [row.kind for row in fields.budgets],
            "total_cap": [fields.total_cap],
            "reason": [fields.reason],
        }
        for row in fields.rows:
            found |= {
                f"name-{row.key}": [row.name],
                f"label-{row.key}": [row.label],
                f"description-{row.key}": [row.description],
                f"recording-{row.key}": [row.recording],
                f"kind-{row.key}": list(row.kinds),
                f"term-{row.key}": [term.text for term in row.terms],
                f"weight-{row.key}": ["decisive" if term.decisive else "supporting" for term in row.terms],
            }
        for budget in fields.budgets:
            kind = budget.kind
            found |= {
                f"heading-{kind}": [budget.label],
                f"cap-{kind}": [budget.cap],
                f"position-{kind}": [budget.position],
                f"called-{kind}": [budget.name],
                f"about-{kind}": [budget.description],
                f"samples-{kind}": ["\n".join(budget.examples)],
                f"class-{kind}": [budget.retention_class],
                f"source-{kind}": [budget.source_category],
                f"uploader-{kind}": list(budget.uploaders),
                f"corrector-{kind}": list(budget.correctors),
                f"remover-{kind}": list(budget.removers),
                f"retired-{kind}": ["1"] if budget.retired else [],
            }
        found |= {f"setting-{name}": [value] for name, value in fields.settings.items()}
        return cls(found)

    def with_(self, **changes: str | Sequence[str]) -> Typed:
        """Others in their place; `__` stands for the dash of a name."""
        new = {
            name.replace("__", "-"): [value] if isinstance(value, str) else list(value)
            for name, value in changes.items()
        }
        return Typed({**self.values, **new})

    def and_(self, **more: Sequence[str]) -> Typed:
        """One more value each, after the others."""
        added = {name.replace("__", "-"): list(values) for name, values in more.items()}
        return Typed({**self.values, **{name: [*self.values.get(name, []), *each] for name, each in added.items()}})

    def without(self, *names: str) -> Typed:
        return Typed({name: values for name, values in self.values.items() if name not in names})

    @property
    def post(self) -> QueryDict:
        sent = QueryDict(mutable=True)
        for name, values in self.values.items():
            sent.setlist(name, values)
        return sent
