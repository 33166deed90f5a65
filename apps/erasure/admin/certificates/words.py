"""A certificate in words: for its page and for the file that prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Final

from apps.erasure.admin.removals.words import GROUNDS, REASONS, UNPROVEN, counted, staying_in_words
from apps.erasure.certificate.still_standing import standing_lines
from apps.erasure.models import Certificate
from apps.erasure.models.removal import RemovalOrigin
from apps.erasure.runs.staying import EXPIRES

_STEPS: Final[Mapping[str, str]] = {
    "transactions": "Waited until nobody could still see the removed rows",
    "wal": "the write-ahead log overwritten",
    "redis": "Redis's files rewritten",
}
_SORTS: Final[Mapping[str, tuple[str, str]]] = {
    "text": ("piece of text", "pieces of text"),
    "term": ("search term", "search terms"),
    "id": ("id", "ids"),
    "vector": ("piece of a vector", "pieces of vectors"),
    "bytes": ("slice of a file or of sealed bytes", "slices of files or of sealed bytes"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What was made of a physical proof."""

    steps: list[tuple[str, int]]
    looked_for: str
    left_out: list[tuple[str, int]]
    encodings: list[tuple[str, int]]
    places: list[dict[str, Any]]
    unreachable: list[str]
    standing: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """Documents that stay in a redacted version. versions: id, number, and how many older ones were to go."""

    counted: str
    versions: list[tuple[str, int, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a template shows of a certificate beside its body.

    unproven: why no physical proof was made; else empty. redacted: None where the certificate does not say, as those of
    earlier releases, and where no document was to go.
    """

    title: str
    unproven: str
    outcome: str
    tone: str
    why: str
    origin: str
    counted: str
    stores: list[dict[str, Any]]
    empty_stores: int
    retained: list[tuple[str, str, int, str]]
    staying: list[tuple[int, str]]
    redacted: Redacted | None
    shown: Shown | None
    times: list[tuple[str, str]]
    issued: str


def words_of(certificate: Certificate) -> Words:
    body = certificate.body
    touched = [each for each in body["stores"] if each["before"] or each["removed"] or each["retained"]]
    whole = body["outcome"] == "completed"
    return Words(
        title=f"Certificate of erasure no. {certificate.number}",
        unproven=UNPROVEN.get(told["code"], told["code"]) if (told := body.get("unproven")) else "",
        outcome=_outcome(body, whole=whole),
        tone="good" if whole and not body.get("unproven") and not body.get("standing") else "warn",
        why=REASONS.get(body["reason"], body["reason"]),
        origin=str(RemovalOrigin(body["origin"]).label),
        counted=counted(body["subject"]),
        stores=touched,
        empty_stores=len(body["stores"]) - len(touched),
        retained=[
            (GROUNDS.get(each["ground"], each["ground"]), each["id"], each["targets"], each["review_on"] or "")
            for each in body["retained"]
        ],
        staying=staying_in_words(body.get("staying", ())),
        redacted=_redacted(body),
        shown=None if body.get("unproven") else _shown(body),
        times=[
            (label, body["times"][key].replace("T", " ").replace("Z", " UTC"))
            for key, label in (
                ("proposed", "Proposed"),
                ("approved", "Approved"),
                ("prepared", "Control passed"),
                ("begun", "Removal begun"),
                ("counted_zero", "Every store counted zero"),
                ("ended", "Erasure ended" if body.get("unproven") else _ended(body)),
            )
            if body["times"][key]
        ],
        # On paper, away from whoever's clock: as the times above.
        issued=f"{certificate.issued_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC",
    )


def _ended(body: Mapping[str, Any]) -> str:
    but = ", except for names that still appear" if body.get("standing") else ""
    return f"Scan clean{but}; erasure ended"


def _shown(body: Mapping[str, Any]) -> Shown:
    return Shown(
        steps=_steps(body["physical"]["steps"]),
        looked_for=_joined(_numbered(count, *_SORTS[sort]) for sort, count in body["needles"]["by_sort"].items()),
        left_out=sorted(body["scan"]["left_out"].items()),
        encodings=sorted(body["scan"]["by_encoding"].items()),
        places=body["scan"]["places"],
        standing=standing_lines(body.get("standing") or ()),
        unreachable=list(dict.fromkeys([*body["scan"]["unreachable"], *body["physical"]["unreachable"]])),
    )


def _redacted(body: Mapping[str, Any]) -> Redacted | None:
    told = body.get("redacted")
    if told is None or not body["subject"].get("document"):
        return None
    return Redacted(
        counted=_numbered(len(told), "document stays", "documents stay"),
        versions=[
            (each["document"], each["version"], _numbered(each["older"], "older version", "older versions"))
            for each in told
        ],
    )


def _outcome(body: Mapping[str, Any], *, whole: bool) -> str:
    if not whole:
        return "Removed, except for what must be kept"
    if any(each["ground"] != EXPIRES for each in body.get("staying", ())):
        return "Everything to be removed was removed; places that must stay by law were not part of it"
    return "All of it was removed"


def _steps(steps: Iterable[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """Tables are summed up: how many there are says enough."""
    told: list[tuple[str, int]] = []
    tables = [step for step in steps if step["key"].partition(":")[0] in ("table", "statistics")]
    for step in steps:
        if step["key"] in _STEPS:
            told.append((_STEPS[step["key"]], step["elapsed_ms"]))
        elif tables and step is tables[0]:
            label = f"{_numbered(len(tables), 'table', 'tables')} rewritten, with indexes and statistics"
            told.append((label, sum(each["elapsed_ms"] for each in tables)))
    return told


def _numbered(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _joined(parts: Iterable[str]) -> str:
    *first, last = [*parts] or ["nothing that could be distinguished from what remains"]
    return f"{', '.join(first)} and {last}" if first else last
