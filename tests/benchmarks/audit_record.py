"""What the record of a question costs: `record()` with the payload of a retrieval of twenty hits.

    python -m tests.benchmarks.audit_record [--repetitions N] [--json]

One tenant with three scopes, as the runtime role, under the policies. Each record is timed by itself, in a transaction
of its own whose opening and commit are shown apart, with the collection of garbage off; its data key is known to the
process, as it is but for the first event of a quarter. For comparison: a whole question, from `ask` to its event, on a
small corpus with the model of the installation. It judges times, and never fails. It joins the suite's PostgreSQL or
starts it, and drops its database at the end.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
from collections.abc import Callable, Sequence
from statistics import median, quantiles
from time import perf_counter
from typing import Any
from uuid import uuid4

AIM_MS = 3.0
HITS = 20
QUESTIONS = 30


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.audit_record", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--repetitions", type=int, default=1_000, help="how many events")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    # Before the settings are read: they name the database after the run.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "audit"
    import django

    django.setup()
    report = run(options.repetitions)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    lines = [
        f"{report['events']:,} events of {report['hits']} hits, {report['payload_bytes']:,} bytes of JSON each",
        "",
    ]
    lines += [f"{'':<34}{'median ms':>11}{'p95 ms':>9}"]
    lines += [
        f"{name:<34}{report[key]['median_ms']:>11.2f}{report[key]['p95_ms']:>9.2f}"
        for name, key in (
            ("record()", "record"),
            ("of it: sealing, without the database", "seal"),
            ("opening and committing the scope", "scope"),
            ("a whole question", "question"),
        )
    ]
    verdict = "met" if report["record"]["median_ms"] < AIM_MS else "missed"
    return "\n".join(
        [
            *lines,
            "",
            f"record() is {report['share']:.1%} of a question's median; aim: median under {AIM_MS:g} ms: {verdict}",
        ]
    )


def run(repetitions: int) -> dict[str, Any]:
    from tests.benchmarks.wall_databases import Databases, start_services

    start_services()
    with Databases() as databases:
        return _measured(databases.make("events"), repetitions)


def _measured(database: str, repetitions: int) -> dict[str, Any]:
    from django.db import connections

    from tests.benchmarks.wall_databases import WALLED_ROLE, connect

    ordinary, walled = connections["default"], connect(database, WALLED_ROLE)
    connections["default"] = walled
    try:
        from tests.retrieval.asking import QUESTION, make_acme

        firm = make_acme()
        payload = _payload()
        gc.collect()
        gc.disable()
        inner: list[float] = []
        whole = [_timed(lambda: _recorded(firm, payload, inner)) for _ in range(repetitions)][_WARM:]
        inner = inner[_WARM:]
        sealed = [_timed(lambda: _sealed(payload)) for _ in range(repetitions)]
        asked = [_timed(lambda: _asked(firm, QUESTION)) for _ in range(QUESTIONS + 3)][3:]
    finally:
        gc.enable()
        walled.close()
        connections["default"] = ordinary
    question, record = _figures(asked), _figures(inner)
    return {
        "events": len(inner),
        "hits": HITS,
        "payload_bytes": sum(len(json.dumps(values)) for values in payload.values()),
        "record": record,
        "seal": _figures(sealed),
        "scope": _figures([all_ - part for all_, part in zip(whole, inner, strict=True)]),
        "question": question,
        "share": record["median_ms"] / question["median_ms"],
    }


_WARM = 20


def _timed(act: Callable[[], Any]) -> float:
    began = perf_counter()
    act()
    return (perf_counter() - began) * 1_000


def _figures(times_ms: list[float]) -> dict[str, float]:
    return {"median_ms": median(times_ms), "p95_ms": quantiles(times_ms, n=20)[-1]}


def _recorded(firm: Any, payload: dict[str, Any], inner: list[float]) -> None:
    from apps.audit.services import record
    from apps.retrieval.events import ANSWERED
    from apps.tenants.context import open_scope

    with open_scope(tenant=firm.id, reason="a benchmark") as context:
        inner.append(_timed(lambda: record(action=ANSWERED, scopes=context.scope_ids, **payload)))


def _sealed(payload: dict[str, Any]) -> None:
    from apps.audit.sealing import SealBinding, seal

    tenant = event = uuid4()
    for group, values in payload.items():
        seal(values, place=SealBinding(tenant_id=tenant, event_id=event, group=group), key=bytes(32))


def _asked(firm: Any, question: str) -> None:
    from apps.retrieval.services.ask import ask
    from apps.tenants.context import open_scope
    from apps.tenants.selectors.grants import user_principal
    from apps.tenants.selectors.people import user_by_name

    alice = user_by_name("alice")
    assert alice is not None
    principal = user_principal(alice, firm.id)
    with open_scope(tenant=firm.id, principal=principal):
        ask(text=question)


def _payload() -> dict[str, Any]:
    """As apps/retrieval/services/recording.py makes it, with made-up ids and ranks."""
    stages = ("analyse", "gate", "embed", "dense", "sparse", "fuse", "select", "assemble", "generate", "ground", "cite")
    return {
        "core": {
            "intent": "performance",
            "intent_score": 0.913422,
            "intent_margin": 0.312245,
            "policy_version": 3,
            "policy_version_id": str(uuid4()),
            "recording_mode": "encrypted_text",
            "permitted_kinds": ["run", "fund_profile", "reference_report"],
            "withheld_kinds": ["compliance_profile"],
            "filters": ["period:certain", "subject:likely"],
            "relaxed_filters": [],
            "excluded": {"fuse": {"below_cut": 12}, "select": {"budget": 7}},
            "embedding": {"model": "all-MiniLM-L6-v2", "dimension": 384, "provider": "local", "from_cache": False},
            "generator": "extractive",
            "model": "",
            "degradations": [],
            "elapsed_ms": 187.412,
            "stage_ms": {stage: 12.345 + place for place, stage in enumerate(stages)},
        },
        "question": {
            "hmac_sha256": "ab" * 32,
            "key_epoch": "2026Q4",
            "length_chars": 73,
            "intent_reason": "drawdown, quarter",
            "text": "What was the maximum drawdown of the Alpha Fund in the fourth quarter?",
        },
        "answer": {
            "refusal": "",
            "grounding": "grounded",
            "ref_ids": ["run:alpha:1", "run:alpha:2"],
            "answer_hmac_sha256": "cd" * 32,
            "context_sha256": "ef" * 32,
            "context_chars": 6_412,
        },
        "passages": {
            "hits": [
                {
                    "rank": rank,
                    "chunk_id": str(uuid4()),
                    "document_id": str(uuid4()),
                    "kind": "run",
                    "ref_id": f"run:alpha:{rank}",
                    "content_sha256": "0123456789abcdef" * 4,
                    "ranks": {"dense": rank, "sparse": 2 * rank},
                    "rrf_score": 0.032786885 / rank,
                    "in_context": rank < 9,
                    "cited": rank < 3,
                }
                for rank in range(1, HITS + 1)
            ]
        },
    }


if __name__ == "__main__":
    main()
