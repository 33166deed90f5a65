"""The report of the benchmark of retrieval: tables, and what it is held to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

AIMS: Final = {"p50_ms": 60.0, "p95_ms": 120.0}
RERANKED_P95_MS: Final = 1_000.0
WORKER_MB: Final = 1_200.0
GROWTH_MB: Final = 20.0
_SHOWN: Final = ("p50_ms", "p95_ms", "p99_ms")
_WIDTH: Final = 46
_LEAST_SHARE: Final = 0.0005


def judged(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each aim with what was measured: name, value, limit, verdict."""
    ways = report["latency"]["ways"]
    lines = [
        _aim(f"retrieval {name.removesuffix('_ms')}, ms", ways["retrieval"][name], limit)
        for name, limit in AIMS.items()
    ]
    lines += [
        _aim(f"{name}: retrieval p95, ms", way["p95_ms"], RERANKED_P95_MS)
        for name, way in ways.items()
        if way["switched_stage"] == "rerank"
    ]
    if web := report["web"]:
        lines.append(_aim("web process: peak, MB", web["points"][-1]["peak_mb"], WORKER_MB))
        if "second_half_growth_mb" in web:
            lines.append(_aim("web process: growth in the second half, MB", web["second_half_growth_mb"], GROWTH_MB))
    if worker := report["worker"]:
        lines.append(_aim("worker that ingests: peak, MB", worker["peak_mb"], WORKER_MB))
    return lines


def as_text(report: Mapping[str, Any]) -> str:
    return "\n".join(_lines(report))


def _aim(name: str, value: float, limit: float) -> dict[str, Any]:
    return {"name": name, "value": value, "limit": limit, "verdict": "met" if value < limit else "missed"}


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    corpus, latency, machine = report["corpus"], report["latency"], report["machine"]
    ways = latency["ways"]
    vectors = "embedded by the model" if corpus["embedded"] else "whose vectors are made up (random, seeded)"
    yield (
        f"{corpus['passages']:,} passages, {vectors}, of {corpus['mean_tokens']:.0f} tokens in {corpus['documents']} "
        f"documents; {ways['retrieval']['questions']} questions, embedded by the model; taken in and read in "
        f"{corpus['loading_s']:.0f} s"
    )
    yield (
        f"{machine['cores']} core{'s' * (machine['cores'] > 1)} (affinity), {machine['model_threads']} of the "
        f"model's threads, scheduling {machine['scheduling']}; the machine's load {machine['load_before']:.1f} before, "
        f"{machine['load_after']:.1f} after"
    )
    yield ""
    yield _head("Retrieval: from the text to the context, ms")
    yield from _parts(ways["retrieval"])
    yield ""
    yield _head("The same by question, ms")
    for group, figures in ways["retrieval"]["groups"].items():
        yield _row(group, figures)
    yield ""
    yield _head("A whole question: scope, answer, event, commit, ms")
    yield from _parts(ways["answer"])
    yield ""
    reach = latency["in_reach_as_shipped"]
    yield _head("Retrieval in other ways, ms") + f"{'ratio':>8}{'its stage p50':>15}{'p95':>9}"
    for name, figures in ways.items():
        if name not in ("retrieval", "answer"):
            yield _row(_asked_in(name, figures, ways["retrieval"]), figures) + _compared(figures)
    yield (
        f"Ratio of medians to the default's, over the same questions. In reach: all {corpus['passages']:,} passages; "
        f"under the shipped policy {reach['median']:,} at the median ({reach['least']:,} to {reach['most']:,})."
    )
    if latency["not_configured"]:
        yield f"Not measured, since no model is configured here: {', '.join(latency['not_configured'])}."
    yield ""
    yield from _memory(report)
    yield from _aims(report)


def _parts(way: Mapping[str, Any]) -> Iterator[str]:
    for name, part in way["parts"].items():
        if part["share"] >= _LEAST_SHARE:
            not_all = f"  in {part['ran']}" if part["ran"] < way["questions"] else ""
            yield _row(f"  {name}", part) + f"{part['share']:>8.1%}{not_all}"
    yield _row("  in all", way)


def _head(title: str) -> str:
    return f"{title:<{_WIDTH}}{'p50':>9}{'p95':>9}{'p99':>9}"


def _row(name: str, figures: Mapping[str, float]) -> str:
    return f"{name:<{_WIDTH}}" + "".join(f"{figures[each]:>9.1f}" for each in _SHOWN)


def _asked_in(name: str, figures: Mapping[str, Any], default: Mapping[str, Any]) -> str:
    return name if figures["questions"] == default["questions"] else f"{name} (in {figures['questions']} questions)"


def _compared(figures: Mapping[str, Any]) -> str:
    ratio = f"{figures['ratio']:>8.2f}"
    stage = figures["parts"].get(figures["switched_stage"])
    return ratio + (f"{stage['p50_ms']:>15.1f}{stage['p95_ms']:>9.1f}" if stage else "")


def _memory(report: Mapping[str, Any]) -> Iterator[str]:
    if web := report["web"]:
        http = web["over_http_ms"]
        yield (
            f"Web process (gunicorn, one worker), {web['questions']:,} questions, {web['distinct']:,} of them "
            f"different, {web['at_once']} at once; over HTTP p50 {http['p50_ms']:.0f}, p95 {http['p95_ms']:.0f} ms"
        )
        yield f"{'questions':>12}{'peak MB':>12}{'resident MB':>14}"
        for point in ({"questions": 0, **web["idle"]}, *web["points"]):
            yield f"{point['questions']:>12,}{point['peak_mb']:>12.1f}{point['rss_mb']:>14.1f}"
        if "mb_per_1000" in web:
            yield (
                f"From 1,000 on: peak {web['peak_growth_mb']:+.1f} MB, resident {web['mb_per_1000']:+.2f} MB a 1,000 "
                f"questions; peak in the second half {web['second_half_growth_mb']:+.1f} MB"
            )
        yield ""
        yield f"{'What this process remembers by itself, after the questions above':<70}{'held':>9}{'at most':>10}"
        for cache in report["caches"]:
            most = f"{cache['most']:,}" if cache["most"] is not None else "no bound"
            yield f"  {cache['name']:<68}{cache['held']:>9,}{most:>10}"
        yield ""
    if worker := report["worker"]:
        yield (
            f"Worker (Celery, one process), a document of {worker['pages']} pages, {worker['passages']:,} passages, "
            f"{worker['file_mb']:.1f} MB: peak {worker['peak_mb']:.0f} MB, {worker['seconds']:.0f} s"
        )
        yield ""


def _aims(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'Held to':<{_WIDTH}}{'measured':>10}{'below':>9}"
    for aim in report["aims"]:
        yield f"{aim['name']:<{_WIDTH}}{aim['value']:>10.1f}{aim['limit']:>9,.0f}  {aim['verdict']}"
