"""A recorded question as its way to the answer: what was permitted, found and left out, and how long it took.

This floor knows the record alone, not what wrote it: a stage or a ranking that is new is shown by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.audit.admin.events.payload import subject_url
from apps.audit.registry import Group
from apps.tenants.admin.addresses import address
from apps.tenants.admin.charts import Stretch, draw_stretch
from apps.tenants.display import EMPTY, identifier

# What this page shows in a way of its own; the other groups are shown field by field.
TRACED: Final = frozenset({Group.CORE, Group.PASSAGES})
# Canonical JSON orders names by their letters, so the order of the way is not in the record.
STAGES: Final[Mapping[str, str]] = {
    "validate": "Read the text",
    "classify": "Decide the intent",
    "gate": "Permit kinds",
    "profile": "Hold it against the profile",
    "analyse": "Read names, periods and terms",
    "rewrite": "Reword",
    "embed": "Embed the question",
    "dense": "Rank by meaning",
    "sparse": "Rank by words",
    "statements": "Rank the statements",
    "metadata": "Rank titles and headings",
    "fuse": "Fuse the rankings",
    "boost": "Lift likely passages",
    "diversify": "Spread over documents",
    "rerank": "Rank anew",
    "cut_off": "Cut off",
    "heal": "Look for what is missing",
    "lines": "Read the statements' lines",
    "expand": "Add what stands around",
    "assemble": "Build the context",
    "generate": "Write the answer",
    "ground": "Check the answer",
    "suitability": "Hold the answer against the profile",
}
# So that a stage that took no time still has a mark.
_LEAST_MS: Final = 0.001
_PLACES: Final = {name: place for place, name in enumerate(STAGES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLine:
    """One stage. bar: of the whole time; left_out: how many, and why."""

    title: str
    elapsed: str
    bar: Stretch
    left_out: tuple[tuple[int, str], ...]
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitLine:
    """A passage that was found. ranks: its place in each ranking, in the order of the trace's rankings."""

    rank: str
    name: str
    url: str
    others_url: str
    kind: str
    ranks: tuple[str, ...]
    score: str
    how_far: str
    tone: str
    chunk: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTrace:
    """What the page shows of a question's core and passages. hits: None where the passages are not there to be read."""

    intent: str
    intent_term: str
    score: str
    margin: str
    policy_version: int
    policy_url: str
    recording: str
    permitted: tuple[str, ...]
    withheld: tuple[str, ...]
    filters: tuple[str, ...]
    relaxed: tuple[str, ...]
    models: tuple[tuple[str, str], ...]
    elapsed: str
    stages: tuple[StageLine, ...]
    degraded: tuple[tuple[str, str], ...]
    rankings: tuple[str, ...]
    hits: tuple[HitLine, ...] | None
    cited: int
    in_context: int


_RECORDINGS: Final[Mapping[str, str]] = {
    "hash_only": "a keyed digest: the text is not in the log",
    "encrypted_text": "the text, encrypted",
}


def trace_of(payload: Mapping[str, Mapping[str, Any]]) -> EventTrace | None:
    """None where the event is none of a question that went through the pipeline, or its core can't be read."""
    core = payload.get(Group.CORE, {})
    if "stage_ms" not in core:
        return None
    hits = payload.get(Group.PASSAGES, {}).get("hits")
    rankings = tuple(sorted({name for hit in hits or () for name in hit.get("ranks", {})}))
    return EventTrace(
        intent=core.get("intent") or "unrecognised",
        intent_term=core.get("intent") or "unrecognised",
        score=_number(core.get("intent_score")),
        margin=_number(core.get("intent_margin")),
        policy_version=core.get("policy_version", 0),
        policy_url=subject_url("policy_version", core.get("policy_version_id")),
        recording=_RECORDINGS.get(core.get("recording_mode", ""), _words(core.get("recording_mode", ""))),
        permitted=_all_words(core.get("permitted_kinds", ())),
        withheld=_all_words(core.get("withheld_kinds", ())),
        filters=_all_words(each.replace(":", ", ") for each in core.get("filters", ())),
        relaxed=_all_words(core.get("relaxed_filters", ())),
        models=_models(core),
        elapsed=milliseconds(core.get("elapsed_ms", 0)),
        stages=_stages(core),
        degraded=tuple((STAGES.get(each["stage"], each["stage"]), each["code"]) for each in core["degradations"])
        if core.get("degradations")
        else (),
        rankings=tuple(_RANKINGS.get(name, name) for name in rankings),
        hits=None if hits is None else tuple(_hit(each, rankings) for each in hits),
        cited=sum(bool(each.get("cited")) for each in hits or ()),
        in_context=sum(bool(each.get("in_context")) for each in hits or ()),
    )


_RANKINGS: Final[Mapping[str, str]] = {
    "dense": "by meaning",
    "sparse": "by words",
    "statements": "among statements",
    "metadata": "by titles and headings",
}


def milliseconds(value: float) -> str:
    """0.4 ms, 412 ms, 1.30 s."""
    if value >= 1000:
        return f"{value / 1000:.2f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def _stages(core: Mapping[str, Any]) -> tuple[StageLine, ...]:
    spent: Mapping[str, float] = core["stage_ms"]
    excluded: Mapping[str, Mapping[str, int]] = core.get("excluded", {})
    withheld = len(core.get("withheld_kinds", ()))
    whole = max(float(core.get("elapsed_ms", 0)), sum(spent.values()), _LEAST_MS)
    lines, start = [], 0.0
    for name in sorted({*spent, *excluded}, key=lambda each: (_PLACES.get(each, len(_PLACES)), each)):
        took = float(spent.get(name, 0.0))
        reasons = tuple((count, reason) for reason, count in sorted(excluded.get(name, {}).items()))
        if name == "gate" and withheld:
            reasons = ((withheld, "kinds that the policy does not permit for this intent"), *reasons)
        lines.append(
            StageLine(
                title=STAGES.get(name, name),
                elapsed=milliseconds(took),
                bar=draw_stretch(max(took, _LEAST_MS), whole, start=start),
                left_out=reasons,
                degraded=tuple(each["code"] for each in core.get("degradations", ()) if each["stage"] == name),
            )
        )
        start += took
    return tuple(lines)


def _hit(hit: Mapping[str, Any], rankings: tuple[str, ...]) -> HitLine:
    document_id = hit.get("document_id")
    how_far, tone = ("in the context", "busy") if hit.get("in_context") else ("found, left out", "quiet")
    if hit.get("cited"):
        how_far, tone = "cited", "good"
    if hit.get("around"):
        how_far = f"{how_far.removeprefix('found, ')}, added around another"
    return HitLine(
        rank=str(hit.get("rank", "")),
        name=hit.get("ref_id") or "not loaded",
        url=subject_url("document", document_id),
        others_url=f"{address('audit_event_changelist')}?document={document_id}" if document_id else "",
        kind=_words(hit.get("kind", "")),
        ranks=tuple(str(hit.get("ranks", {}).get(name, EMPTY)) for name in rankings),
        score=f"{hit['rrf_score']:.4f}" if "rrf_score" in hit else EMPTY,
        how_far=how_far,
        tone=tone,
        chunk=identifier(hit.get("chunk_id")),
        digest=identifier(hit.get("content_sha256")),
    )


_GIVEN: Final = {
    "answered": "an answer",
    "closest_passages": "the closest passages, which claim nothing",
    "refused": "a refusal",
}
_RELEVANCE: Final = {
    "full": "it answers what was asked",
    "partial": "it answers a part of what was asked",
    "none": "it does not answer what was asked",
}


def _models(core: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    embedding = core.get("embedding")
    embedded = "by no model: the search was by words alone"
    if embedding:
        about = (
            embedding.get("provider"),
            f"region {embedding.get('region')}",
            f"{embedding.get('dimension')} numbers",
        )
        embedded = f"{embedding.get('model')} ({', '.join(map(str, about))})"
    written = " ".join(filter(None, (core.get("generator"), core.get("model"))))
    # A search has none of it.
    given = "; ".join(
        words[core[name]]
        for name, words in (("answer_outcome", _GIVEN), ("relevance", _RELEVANCE))
        if core.get(name) in words
    )
    return (
        ("Question embedded", embedded),
        ("Answer written by", written or "nothing: no answer was written"),
        *((("Given", given),) if given else ()),
    )


def _number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else EMPTY


def _words(name: str) -> str:
    return name.replace("_", " ")


def _all_words(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(_words(str(each)) for each in names)
