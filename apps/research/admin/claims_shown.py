"""A checked text as its page shows it: the text with marks, and a card for each claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.research.claims.checked import Checked
from apps.research.claims.comparing import TOLERANCE
from apps.research.claims.contracts import ClaimSort, Finding, Operand, Verdict
from apps.retrieval.admin.ask_links import span_url

WORDS: Final = {
    Verdict.CONFIRMED: ("Confirmed", "check_circle", "good"),
    Verdict.MOSTLY_ACCURATE: ("Mostly accurate", "approval", "good"),
    Verdict.PARTIALLY_SUPPORTED: ("Partially supported", "contrast", "warn"),
    Verdict.CONTRADICTED: ("Contradicted", "cancel", "bad"),
    Verdict.NOT_FOUND: ("Not found", "search_off", "plain"),
    Verdict.NOT_CHECKABLE: ("Not checkable", "help", "plain"),
}
_SORTS: Final = {
    ClaimSort.METRIC: "Figure",
    ClaimSort.CHANGE: "Change",
    ClaimSort.COMPARISON: "Comparison",
    ClaimSort.SUPERLATIVE: "Superlative",
    ClaimSort.EVENT: "Event",
    ClaimSort.ATTRIBUTION: "Attribution",
    ClaimSort.STATEMENT: "Statement",
    ClaimSort.FORWARD_LOOKING: "About the future",
    ClaimSort.OPINION: "Opinion",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of the text. number: of the claim whose mark it is; 0 for none."""

    text: str
    number: int = 0
    verdict: str = ""
    icon: str = ""
    look: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where evidence stands. quote: its row, or the passage."""

    title: str
    url: str
    page: int
    quote: str
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A claim with its verdict. withheld: kinds that were kept from it, where nothing was found."""

    number: int
    finding: Finding
    sort: str
    verdict: str
    icon: str
    look: str
    sources: tuple[Source, ...]
    withheld: str = ""


def shown(checked: Checked) -> dict[str, Any]:
    """Return what the page shows of a checked text."""
    withheld = {each.intent: ", ".join(kind.label for kind in each.withheld) for each in checked.reaches}
    counts = Counter(each.verdict for each in checked.findings)
    return {
        "pieces": tuple(_pieces(checked)),
        "cards": tuple(_card(number, each, withheld) for number, each in enumerate(checked.findings, start=1)),
        "counts": [
            {"verdict": words, "icon": icon, "look": look, "count": counts[verdict]}
            for verdict, (words, icon, look) in WORDS.items()
            if counts[verdict]
        ],
        "withheld": [
            (each.label, ", ".join(kind.label for kind in each.withheld)) for each in checked.reaches if each.withheld
        ],
        "policy_version": checked.policy_version,
        "event_id": checked.event.id,
        "tolerance": f"{TOLERANCE * 100:f}".rstrip("0").rstrip("."),
    }


def _pieces(checked: Checked) -> Iterator[Piece]:
    """Yield the text in pieces. Of claims that overlap, the one with a number is marked; each has a card."""
    marks: list[tuple[int, int, int]] = []
    for with_number in (True, False):
        for number, each in enumerate(checked.findings, start=1):
            claim = each.claim
            has_number = claim.number_end > claim.number_start
            start, end = (claim.number_start, claim.number_end) if has_number else (claim.start, claim.end)
            free = all(end <= first or last <= start for first, last, _ in marks)
            if has_number is with_number and start < end and free:
                marks.append((start, end, number))
    at = 0
    for start, end, number in sorted(marks):
        verdict, icon, look = WORDS[checked.findings[number - 1].verdict]
        yield Piece(text=checked.text[at:start])
        yield Piece(text=checked.text[start:end], number=number, verdict=verdict, icon=icon, look=look)
        at = end
    yield Piece(text=checked.text[at:])


def _card(number: int, finding: Finding, withheld: Mapping[str, str]) -> Card:
    verdict, icon, look = WORDS[finding.verdict]
    passages = tuple(
        Source(
            title=each.document_title,
            url=span_url(each.document_id, page=each.page, start=0, end=0),
            page=each.page,
            quote=each.quote,
        )
        for each in finding.passages
    )
    return Card(
        number=number,
        finding=finding,
        sort=_SORTS[finding.claim.sort],
        verdict=verdict,
        icon=icon,
        look=look,
        withheld=withheld.get(finding.intent, "") if finding.verdict is Verdict.NOT_FOUND else "",
        sources=(*(_source(each) for each in finding.operands), *passages),
    )


def _source(operand: Operand) -> Source:
    return Source(
        title=operand.document_title,
        url=span_url(operand.document_id, page=operand.page, start=operand.cell_start, end=operand.cell_end),
        page=operand.page,
        quote=operand.quote,
        what=f"{operand.label}, {operand.period}: {operand.printed}",
    )
