"""Describe the filters that came with a question, and find the filters of its text that they replace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from apps.intents.contracts import KindGrant
from apps.retrieval.contracts import (
    Certainty,
    FilterField,
    GivenField,
    GivenFilter,
    GivenFilters,
    InventoryEntry,
    MetadataFilter,
    RelaxedFilter,
)
from apps.retrieval.stages.question.relax import states

_SAME: Final[Mapping[FilterField, GivenField]] = {
    FilterField.COMPANY: GivenField.COMPANY,
    FilterField.PERIOD: GivenField.PERIOD,
}
# The same words are used for what does not exist and for what may not be reached.
_NOT_HELD: Final = "Nothing that this question may reach is of the {what}."


def describe_given(
    asked: GivenFilters, held: GivenFilters, *, grant: KindGrant, as_of: datetime | None
) -> tuple[GivenFilter, ...]:
    """Return the given filters as the trace shows them.

    Args: asked: the filters as they came.
          held: what documents in reach can meet of them; of the kinds, only those that are permitted.
    """
    return tuple(_describe_each(asked, held, grant, as_of))


def _describe_each(
    asked: GivenFilters, held: GivenFilters, grant: KindGrant, as_of: datetime | None
) -> Iterator[GivenFilter]:
    if asked.documents is not None:
        ids = tuple(map(str, asked.documents))
        missing = [str(each) for each in asked.documents if each not in (held.documents or ())]
        yield GivenFilter(field=GivenField.DOCUMENT, values=ids, unmet=_not_held("document", missing))
    if asked.companies is not None:
        names = held.companies or ()
        spelled = {each.casefold() for each in names}
        missing = [each for each in asked.companies if each.casefold() not in spelled]
        yield GivenFilter(field=GivenField.COMPANY, values=names, unmet=_not_held("company", missing))
    if asked.periods is not None:
        labels = tuple(each.label for each in asked.periods)
        yield GivenFilter(field=GivenField.PERIOD, values=labels, periods=asked.periods)
    if asked.kinds is not None:
        withheld = [each for each in asked.kinds if each not in (held.kinds or ())]
        unmet = _not_granted(withheld, grant, meet=bool(held.kinds))
        yield GivenFilter(field=GivenField.KIND, values=asked.kinds, unmet=unmet)
    if as_of is not None:
        yield GivenFilter(field=GivenField.AS_OF, values=(as_of.isoformat(),))


def _not_held(what: str, missing: Sequence[str]) -> str:
    return _NOT_HELD.format(what=f"{what} {' or '.join(missing)}") if missing else ""


def _not_granted(withheld: Sequence[str], grant: KindGrant, *, meet: bool) -> str:
    if not withheld:
        return ""
    asked = f"The filter asks for {', '.join(withheld)}, which policy version {grant.policy_version} withholds here"
    return f"{asked}." if meet else f"{asked}: the filter and the grant have nothing in common."


def set_aside(
    read: Iterable[MetadataFilter], given: Sequence[GivenFilter], entries: Sequence[InventoryEntry]
) -> tuple[RelaxedFilter, ...]:
    """Return the sure filters of the text that a filter of the request replaces.

    Args:    entries: what is held within the given filters.
    Returns: those on the same field, unless all entries meet them anyway.
    """
    fields = {each.field: each for each in given}
    return tuple(
        RelaxedFilter(filter=each, reason=_in_place_of(each, own))
        for each in read
        if each.certainty is Certainty.SURE
        and (same := _SAME.get(each.field)) is not None
        and (own := fields.get(same)) is not None
        and not all(states(entry, each) for entry in entries)
    )


def _in_place_of(read: MetadataFilter, own: GivenFilter) -> str:
    return (
        f"The question's text says {read.field.value} {' or '.join(read.values)}; the request's own filter, "
        f"{own.label}, applies instead."
    )
