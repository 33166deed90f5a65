"""Turn the countries that a question names into filters, against the jurisdictions that documents state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.filings.text.mentions import Mention
from apps.filings.text.territories import holds, in_force
from apps.retrieval.contracts import Certainty, FilterField, InventoryEntry, MetadataFilter
from apps.retrieval.stages.question.jurisdiction_mentions import JurisdictionMention, read_jurisdiction_mentions


@dataclass(frozen=True, slots=True, kw_only=True)
class JurisdictionReading:
    """The filters on jurisdictions. plain: where the question names the law or the seat of the sure filter."""

    filters: tuple[MetadataFilter, ...]
    plain: tuple[Mention, ...]


def read_jurisdictions(
    text: str, rest: str, language: str, entries: Sequence[InventoryEntry], within: Sequence[InventoryEntry]
) -> JurisdictionReading:
    """Find the jurisdictions that the question names.

    Args:    text: the question, one line.
             rest: the same, with company and document type blanked out: "Swiss Re" does not name Switzerland.
             language: ISO 639-1.
             entries: what is held.
             within: the part of it that belongs to the companies in the question's sure filters.
    Returns: at most one sure filter, for what is plainly named as the law or the seat, whether or not a document states
             it; if nothing meets it, it is removed later, with a notice. At most one likely filter, for what is named
             otherwise, if documents state it and others, within the companies, state something else; if all documents
             are of one jurisdiction, the filter would distinguish none.
    """
    mentions = read_jurisdiction_mentions(text, rest, language)
    plain = [each for each in mentions if each.plain]
    sure = _sure(plain, entries)
    named = {each.code for each in plain}
    loose = _likely([each for each in mentions if each.code not in named], within)
    return JurisdictionReading(
        filters=(*sure, *loose),
        plain=tuple(Mention(start=each.start, end=each.end, text=each.text) for each in plain),
    )


def _sure(mentions: Sequence[JurisdictionMention], entries: Iterable[InventoryEntry]) -> tuple[MetadataFilter, ...]:
    if not mentions:
        return ()
    held = sorted({stated for entry in entries for stated in entry.jurisdictions})
    values: dict[str, None] = {}
    beside: dict[str, None] = {}
    for code in dict.fromkeys(each.code for each in mentions):
        values[code] = None
        own = [stated for stated in held if holds(code, stated)]
        values.update(dict.fromkeys(own))
        if own:
            beside.update(dict.fromkeys(stated for stated in held if in_force(code, stated) and stated not in own))
    reason = f"The question asks about the law or the seat: {_describe(mentions)}."
    if stay := [stated for stated in beside if stated not in values]:
        reason += (
            f" Documents of {_join_words(stay)} stay in, because the law of the EU and of its members applies in both."
        )
    return (
        MetadataFilter(
            field=FilterField.JURISDICTION, values=(*values, *stay), certainty=Certainty.SURE, reason=reason
        ),
    )


def _likely(mentions: Sequence[JurisdictionMention], within: Iterable[InventoryEntry]) -> tuple[MetadataFilter, ...]:
    stated = {entry.jurisdictions for entry in within if entry.jurisdictions}
    codes = dict.fromkeys(each.code for each in mentions)
    values = tuple(
        code
        for named in codes
        for code in sorted({each for together in stated for each in together if holds(named, each)})
    )
    if not values or all(set(together) & set(values) for together in stated):
        return ()
    met = [each for each in mentions if any(holds(each.code, value) for value in values)]
    reason = (
        f"The question names {_describe(met)}, but not clearly as the law or the seat that it asks about: such "
        "documents are preferred, others stay in."
    )
    return (MetadataFilter(field=FilterField.JURISDICTION, values=values, certainty=Certainty.LIKELY, reason=reason),)


def _describe(mentions: Iterable[JurisdictionMention]) -> str:
    return _join_words(dict.fromkeys(f"“{each.text}” ({each.code})" for each in mentions))


def _join_words(words: Iterable[str]) -> str:
    parts = list(words)
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
