"""What a question's retrieval takes among 20,000 passages, stage by stage, and what the processes hold in memory.

    python -m tests.benchmarks.retrieval [--chunks N] [--questions Q] [--memory-questions M] [--document-pages P]
                                         [--embed] [--seed S] [--quick] [--json]

A server of its own, set up as in production; a tenant of about N passages (20,000) of made-up reports, which come in
and are read by ingest as everybody's are. Their vectors are random, or with --embed the model's (some ten minutes on
two cores): how long a scan takes does not depend on what vectors mean. Q questions (300) are embedded by the shipped
model in any case, and asked as an analyst, under the policies: retrieval alone, the whole question with its event, and
retrieval with each reranker and diversifier that can run here. The policy in force lets every question reach all
passages, which is the most that a search can have to read; what the shipped policy makes of it is a line of its own.

Then a web process as `manage.py up` starts it answers M questions (10,000) over HTTP, and a Celery worker ingests a
document of P pages (300); 0 leaves either out. It is a script and no test: it judges, and never fails for it.
--quick joins the suite's server, with a small tenant: a smoke run, whose times say nothing.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from tests.benchmarks.own_server import server_of_its_own

CHUNKS, QUESTIONS, MEMORY_QUESTIONS, DOCUMENT_PAGES = 20_000, 300, 10_000, 300
QUICK = {"chunks": 120, "questions": 10, "memory_questions": 8, "document_pages": 2}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.retrieval", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="passages of the tenant, about")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="that are timed, in each way")
    parser.add_argument("--memory-questions", type=int, default=MEMORY_QUESTIONS, help="to the web process; 0 for none")
    parser.add_argument("--document-pages", type=int, default=DOCUMENT_PAGES, help="that a worker ingests; 0 for none")
    parser.add_argument("--embed", action="store_true", help="the model's vectors of the passages, not made-up ones")
    parser.add_argument("--seed", type=int, default=7, help="of reports, vectors and questions")
    parser.add_argument("--quick", action="store_true", help="a small tenant in the suite's server: times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "retrieval"
    given = {name: getattr(options, name) for name in QUICK}
    with nullcontext() if options.quick else server_of_its_own():
        import django

        django.setup()
        report = run(
            **(QUICK if options.quick else given), embed=options.embed, seed=options.seed, durable=not options.quick
        )
        from tests.benchmarks.retrieval_report import as_text

        print(json.dumps(report, indent=2) if options.json else as_text(report))


def run(
    *,
    chunks: int,
    questions: int,
    memory_questions: int,
    document_pages: int,
    embed: bool,
    seed: int,
    durable: bool,
) -> dict[str, Any]:
    """Load, ask, look, clean up. Needs Django to be set up with the test settings, and no connection made yet."""
    from django.db import connections

    from config.services import Durability
    from tests.benchmarks.retrieval_caches import caches
    from tests.benchmarks.retrieval_measure import measured
    from tests.benchmarks.retrieval_memory import web_memory, worker_memory
    from tests.benchmarks.retrieval_questions import questions as made_up
    from tests.benchmarks.retrieval_report import as_text, judged
    from tests.benchmarks.retrieval_tenant import load, make_asking, say
    from tests.benchmarks.wall_databases import Databases, start_services, superuser

    start_services(durability=Durability.DURABLE if durable else Durability.DISPOSABLE)
    with Databases() as databases:
        # The settings' own, with their pool: the processes that are started below use it too.
        name = databases.make("")
        try:
            asking = make_asking()
            corpus = load(asking.firm, chunks, seed=seed, embed=embed)
            with superuser(name) as connection:
                connection.execute("VACUUM ANALYZE")
            report: dict[str, Any] = {"machine": _machine(), "corpus": corpus, "caches": [], "web": {}, "worker": {}}
            report["latency"] = measured(asking, made_up(questions, seed=seed))
            report["caches"] = caches()
            report["aims"] = judged(report)
            # What is there already stands there, whatever becomes of the rest, which may take half an hour.
            say(as_text(report))
            if memory_questions:
                report["web"] = web_memory(asking.firm, memory_questions, seed=seed + 1)
            if document_pages:
                report["worker"] = worker_memory(asking.firm, document_pages, seed=seed)
        finally:
            for opened in connections.all(initialized_only=True):
                opened.close()
                opened.close_pool()
    report["machine"]["load_after"] = os.getloadavg()[0]
    return report | {"aims": judged(report)}


def _machine() -> dict[str, Any]:
    import torch

    load = os.getloadavg()[0]
    return {
        "cores": len(os.sched_getaffinity(0)),
        "model_threads": torch.get_num_threads(),
        "scheduling": _scheduling(),
        "load_before": load,
        "load_after": load,
    }


def _scheduling() -> str:
    names = {os.SCHED_OTHER: "ordinary", os.SCHED_FIFO: "real-time, FIFO", os.SCHED_RR: "real-time, in turns"}
    policy = os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK
    return f"{names.get(policy, policy)}, nice {os.nice(0)}"


if __name__ == "__main__":
    main()
