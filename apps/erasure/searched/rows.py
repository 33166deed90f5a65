"""Texts in the columns of a table, for the search for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Model

from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import SearchedText, TextLocation, leaves

_BATCH_ROWS = 1_000


class RowTexts:
    """One text a row: its columns, one a line, in the order given. Columns of JSON give their texts.

    Args: target: what a removal of a row is aimed at, where there is such a thing; its id is the row's.
    """

    def __init__(
        self,
        store: str,
        label: str,
        model: type[Model],
        columns: Sequence[str],
        *,
        target: TargetType | None = None,
    ) -> None:
        self.stores: tuple[str, ...] = (store,)
        self.label = label
        self._model = model
        self._columns = tuple(columns)
        stored = {field.name: field.column for field in model._meta.concrete_fields}
        self.columns = frozenset(f"{model._meta.db_table}.{stored[name]}" for name in columns)
        self._target = target

    @property
    def changed_by_hand(self) -> str:
        """The table, where no removal of a run reaches its rows: what was changed in it leaves dead rows."""
        return "" if self._target else str(self._model._meta.db_table)

    def count(self) -> int:
        found: int = self._model._default_manager.count()
        return found

    def texts(self) -> Iterator[SearchedText]:
        rows = self._model._default_manager.order_by("id").values_list("id", *self._columns)
        last: UUID | None = None
        while batch := list((rows if last is None else rows.filter(id__gt=last))[:_BATCH_ROWS]):
            for row_id, *values in batch:
                yield SearchedText(place=self._place(row_id), text=leaves(values))
            last = batch[-1][0]

    def text_of(self, place: TextLocation) -> str | None:
        rows: list[Any] = list(self._model._default_manager.filter(id=place.item_id).values_list(*self._columns)[:1])
        return leaves(rows[0]) if rows else None

    def scopes_of(self, places: Sequence[TextLocation]) -> Mapping[TextLocation, tuple[UUID, ...]]:
        column = next((name for name in ("scope_ids", "scope_id") if name in self._attributes()), None)
        if column is None:
            return {}
        rows = self._model._default_manager.filter(id__in={place.item_id for place in places})
        found = dict(rows.values_list("id", column))
        return {place: _scopes(found.get(place.item_id)) for place in places}

    def _attributes(self) -> set[str]:
        return {field.attname for field in self._model._meta.concrete_fields}

    def _place(self, row_id: UUID) -> TextLocation:
        target = Target(type=self._target, id=row_id) if self._target else None
        return TextLocation(store=self.stores[0], item_id=row_id, target=target)


def _scopes(value: UUID | Sequence[UUID] | None) -> tuple[UUID, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, UUID) else tuple(value)
