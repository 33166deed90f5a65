"""How fast a log is verified: by the application from the database, exported, and offline from the export.

    python -m tests.benchmarks.audit_verify [--events N] [--json]

One tenant, N events (100,000) of three sealed groups each, written into the tables past the services: what is measured
is the reading. Leaves are events' own, so the log verifies as intact, which is asserted. It judges times, and never
fails for them. It joins the suite's PostgreSQL or starts it, and drops its database at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from apps.tenants.ids import TenantId

# A million leaves in 60 s, of the hashing part.
AIM_PER_S: Final = 1_000_000 / 60
_BATCH: Final = 5_000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.audit_verify", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--events", type=int, default=100_000, help="how many")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    # Before the settings are read: they name the database after the run.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "verify"
    import django

    django.setup()
    report = run(options.events)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    lines = [f"{report['events']:,} events of three groups", "", f"{'':<44}{'s':>8}{'events/s':>12}"]
    lines += [
        f"{name:<44}{report[key]:>8.1f}{report['events'] / report[key]:>12,.0f}"
        for name, key in (
            ("application, leaves and tree alone", "hashing_s"),
            ("application, with every group opened", "whole_s"),
            ("export, with contents", "export_s"),
            ("offline verifier", "offline_s"),
        )
    ]
    rate = report["events"] / report["hashing_s"]
    verdict = "met" if rate >= AIM_PER_S else "missed"
    return "\n".join(
        [
            *lines,
            "",
            f"most memory of this process: {report['peak_mib']:.0f} MiB; {report['base_mib']:.0f} before it verified",
            f"processor time of the first in this process: {report['hashing_cpu_s']:.1f} s",
            f"a million leaves in {1_000_000 / rate:.0f} s; aim: 60 s: {verdict}",
        ]
    )


def run(events: int) -> dict[str, Any]:
    from tests.benchmarks.wall_databases import Databases, start_services

    start_services()
    with Databases() as databases:
        return _measured(databases.make("verify"), events)


def _measured(database: str, events: int) -> dict[str, Any]:
    from django.conf import settings
    from django.db import connections

    from tests.benchmarks.wall_databases import WALLED_ROLE, connect

    ordinary, walled = connections["default"], connect(database, WALLED_ROLE)
    connections["default"] = walled
    try:
        from apps.audit.verify.application import verify_tenant
        from apps.audit.verify.export import export_log
        from tests.factories import make_firm

        keys = [word for key in settings.GLASSBOX_LOG_VERIFY_KEYS for word in ("--key", key.line())]
        firm = make_firm("acme")
        _load(database, firm.id, events)
        base = _peak_mib()
        began, busy = perf_counter(), process_time()
        hashing = verify_tenant(tenant=firm.id, contents=False)
        hashed, busy = perf_counter(), process_time() - busy
        whole = verify_tenant(tenant=firm.id)
        opened = perf_counter()
        with TemporaryDirectory() as folder:
            path = Path(folder) / "log"
            export_log(tenant=firm.id, output=path)
            exported = perf_counter()
            offline = subprocess.run(
                [sys.executable, "-I", path / "verify_log.py", path, *keys], capture_output=True, text=True, check=False
            )
            finished = perf_counter()
    finally:
        walled.close()
        connections["default"] = ordinary
    problem = (hashing.totals, whole.totals, offline.stdout[-2_000:], offline.stderr[-2_000:])
    if not (hashing.is_intact and whole.is_intact and offline.returncode == 0):
        raise AssertionError(f"the log is not intact: {problem}")
    return {
        "events": events,
        "hashing_s": hashed - began,
        "hashing_cpu_s": busy,
        "whole_s": opened - hashed,
        "export_s": exported - opened,
        "offline_s": finished - exported,
        "base_mib": base,
        "peak_mib": _peak_mib(),
    }


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _load(database: str, tenant: TenantId, events: int) -> None:
    """In the place of what the firm's making has left, so that leaves count from 0."""
    from apps.audit.keys.data_keys import current_data_key
    from apps.audit.log.tree import Frontier, root_of
    from apps.tenants.context import open_scope
    from tests.benchmarks.wall_databases import superuser

    with open_scope(tenant=tenant, reason="a benchmark"):
        key = current_data_key(tenant, datetime.now(UTC))
    hashes: list[bytes] = []
    with superuser(database) as connection:
        for table in ("audit_unsealed", "audit_payload", "audit_event"):
            connection.execute(f"DELETE FROM {table}")
        for start in range(0, events, _BATCH):
            _load_batch(connection, tenant, key, range(start, min(start + _BATCH, events)), hashes)
        for level in (1, 2):
            width = 256**level
            for index in range(events // width):
                connection.execute(
                    "INSERT INTO audit_subtree (tenant_id, level, index, hash) VALUES (%s, %s, %s, %s)",
                    [tenant, level, index, root_of(hashes[index * width : (index + 1) * width])],
                )
        if Frontier().appended(hashes).size != events:
            raise AssertionError("not so many leaves")
        for table in ("audit_event", "audit_payload", "audit_leaf"):
            connection.execute(f"VACUUM ANALYZE {table}")


def _load_batch(connection: Any, tenant: TenantId, key: Any, numbers: range, hashes: list[bytes]) -> None:
    from apps.audit.canonical import event_header, leaf_hash
    from apps.audit.ids import new_id
    from apps.audit.sealing import SealBinding, seal
    from apps.audit.terms import terms_of

    now = datetime.now(UTC)
    rows: list[tuple[Any, ...]] = []
    payloads: list[tuple[Any, ...]] = []
    leaves: list[tuple[Any, ...]] = []
    for number in numbers:
        id = new_id()
        groups: dict[str, dict[str, Any]] = {
            "core": {"intent": "performance", "policy_version": number, "elapsed_ms": 187.4, "filters": ["period"]},
            "actor": {"actor_label": "Alice"},
            "question": {"hmac_sha256": "ab" * 32, "key_epoch": "2026Q4", "length_chars": 73},
        }
        sealed = {
            name: seal(values, place=SealBinding(tenant_id=tenant, event_id=id, group=name), key=key.key)
            for name, values in groups.items()
        }
        commitments = {name: each.commitment.hex() for name, each in sealed.items()}
        header = event_header(
            tenant_id=tenant,
            event_id=id,
            action="retrieval.question.answered",
            outcome="success",
            occurred_at=now,
            actor_kind="user",
            actor_id=tenant,
            subject_type="",
            subject_id=None,
            scope_ids=[],
        )
        hashes.append(leaf_hash(header, commitments))
        rows.append(
            (id, tenant, [], header["action"], "success", now, "user", tenant, "Alice", "", json.dumps(commitments))
        )
        payloads += [
            (tenant, id, [], name, each.ciphertext, key.id, terms_of(name, groups[name]))
            for name, each in sealed.items()
        ]
        leaves.append((tenant, id, number, hashes[-1]))
    with connection.cursor() as cursor:
        for statement, values in (
            (
                "audit_event (id, tenant_id, scope_ids, action, outcome, occurred_at, actor_kind, actor_id, "
                "actor_label, subject_type, commitments)",
                rows,
            ),
            ("audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms)", payloads),
            ("audit_leaf (tenant_id, event_id, index, hash)", leaves),
        ):
            with cursor.copy(f"COPY {statement} FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)


if __name__ == "__main__":
    main()
