"""Whatever is done to the log is found and named, by the application and by the outsider's verifier alike.

GLASSBOX_MUTATIONS=1000 and GLASSBOX_ERASURES=500 run what the log is held to in full; the suite takes a sample.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.audit.keys.data_keys import cache as key_cache
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.audit.verify.findings import FindingClass
from apps.audit.verify.offline import verify as verify_export
from apps.tenants.context import open_scope
from tests.audit.acting import checkpointed, sealed
from tests.audit.mutations import (
    DatabaseStore,
    ExportStore,
    Log,
    Making,
    acting_as,
    as_api,
    authorise,
    execute,
    log_keys,
    make_log,
    mutated,
    of_application,
    of_offline,
)
from tests.factories import Firm, make_firm
from tests.rows import put_rows_back, remember_rows

MUTATIONS = int(os.environ.get("GLASSBOX_MUTATIONS", "96"))
ERASURES = int(os.environ.get("GLASSBOX_ERASURES", "40"))
SEED = int(os.environ.get("GLASSBOX_SEED", "5"))


@pytest.fixture(scope="module")
def logs(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Log]]:
    """Two firms' logs, committed."""
    chosen, folder = random.Random(SEED), tmp_path_factory.mktemp("logs")
    with django_db_blocker.unblock():
        try:
            yield {slug: make_log(make_firm(slug), chosen, folder / slug) for slug in ("acme", "bolt")}
        finally:
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())


@pytest.fixture
def put_back(logs: dict[str, Log]) -> Iterator[None]:
    """For a test that commits something to the logs: the others, in whichever order, find them as they were made."""
    made = remember_rows()
    yield
    put_rows_back(made)
    key_cache.clear()


@pytest.fixture
def kept(logs: dict[str, Log], tmp_path: Path) -> Path:
    """Acme's last checkpoint, as somebody outside has it."""
    path = tmp_path / "kept.txt"
    path.write_text(logs["acme"].kept, encoding="utf-8")
    return path


def test_a_log_with_authorised_removals_is_intact(logs: dict[str, Log], kept: Path, tmp_path: Path) -> None:
    for slug, log in logs.items():
        with acting_as("superuser"), mutated():
            as_api()
            report = verify_tenant(tenant=log.firm.id, checkpoint=log.kept)
            export_log(tenant=log.firm.id, output=tmp_path / slug)
        assert report.findings == ()
        assert report.is_intact
        checked = report.checked
        assert (report.size, report.checkpoint, checked.checkpoints) == (log.size, log.sizes[-1], 3)
        assert (checked.leaves, checked.removed) == (log.size, len(log.removed))
        assert checked.opened == checked.groups > log.size
        found = verify_export(tmp_path / slug, kept if slug == "acme" else None, log_keys())
        assert found.findings == []
        assert report.root is not None
        assert found.tree.root() == report.root
        assert {name: found.counts[name] for name in ("leaves", "groups", "opened", "removed", "checkpoints")} == {
            name: getattr(checked, name) for name in ("leaves", "groups", "opened", "removed", "checkpoints")
        }


@pytest.mark.slow
def test_every_mutation_is_found_and_named_by_both(logs: dict[str, Log], kept: Path, tmp_path: Path) -> None:
    """In the database: by the application, and offline in an export of it. In an export's files: offline."""
    log, wrong, names = logs["acme"], [], set()
    making = Making(log, random.Random(SEED))
    clean = tmp_path / "clean"
    with acting_as("superuser"):
        with mutated():
            as_api()
            export_log(tenant=log.firm.id, output=clean)
        for number in range(max(MUTATIONS, len(making.kinds))):
            mutation = making.mutation(number)
            names.add(mutation.name.partition(" ")[2])
            with mutated():
                mutation.apply(DatabaseStore(log))
                as_api()
                by_application = of_application(verify_tenant(tenant=log.firm.id, checkpoint=log.kept))
                export_log(tenant=log.firm.id, output=tmp_path / "database")
            of_database = of_offline(verify_export(tmp_path / "database", kept))
            files = ExportStore.read(log, clean)
            mutation.apply(files)
            files.write(clean, tmp_path / "files")
            of_files = of_offline(verify_export(tmp_path / "files", kept))
            if not (by_application == of_database == of_files and set(by_application) == mutation.expected):
                found = (by_application, of_database, of_files)
                wrong.append((mutation.name, [sorted(set(each) ^ mutation.expected, key=str)[:4] for each in found]))
            shutil.rmtree(tmp_path / "database")
            shutil.rmtree(tmp_path / "files")
    assert len(names) == len(making.kinds)
    assert not wrong, f"{len(wrong)} of {MUTATIONS}, such as {wrong[:3]}"


def test_the_trees_of_two_tenants_that_were_swapped_are_found(logs: dict[str, Log], kept: Path, tmp_path: Path) -> None:
    """The leaves alone, and everything with them."""
    acme, bolt = logs["acme"], logs["bolt"]
    trees = ("audit_leaf", "audit_subtree", "audit_checkpoint")
    for number, tables in enumerate((trees, (*trees, "audit_event", "audit_payload", "audit_unsealed"))):
        with acting_as("superuser"), mutated():
            with connection.cursor() as cursor:
                for table in tables:
                    # All at once: unique keys are asked for each row, and the tenant is in all of them.
                    cursor.execute(
                        f"CREATE TEMP TABLE swapped ON COMMIT DROP AS SELECT * FROM {table}; "
                        f"UPDATE swapped SET tenant_id = CASE tenant_id WHEN '{acme.firm.id}' "
                        f"THEN '{bolt.firm.id}'::uuid ELSE '{acme.firm.id}'::uuid END; "
                        f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM swapped; DROP TABLE swapped"
                    )
            as_api()
            report = verify_tenant(tenant=acme.firm.id, checkpoint=acme.kept)
            export_log(tenant=acme.firm.id, output=tmp_path / str(number))
        found = of_offline(verify_export(tmp_path / str(number), kept))
        assert found == of_application(report) or sum(report.totals.values()) > len(report.findings)
        kinds = {
            FindingClass.INCONSISTENT: 1,
            FindingClass.FOREIGN_CHECKPOINT: 3,
        }
        missing = {FindingClass.MISSING_EVENT: bolt.size, FindingClass.UNSEALED: acme.size}
        assert {kind: report.totals.get(kind, 0) for kind in kinds} == kinds
        if tables == trees:
            assert {kind: report.totals.get(kind, 0) for kind in missing} == missing
        else:
            # Events in a scope of Bolt's are not Acme's to see, and so are gone.
            gone = report.totals[FindingClass.MISSING_EVENT]
            assert report.totals[FindingClass.FOREIGN_EVENT] == bolt.size - gone > 90
            assert report.totals[FindingClass.ALTERED_GROUP] == report.checked.groups
        for kind, total in report.totals.items():
            assert sum(count for key, count in found.items() if key[0] == kind) == total


def test_an_export_of_another_log_is_not_this_one(logs: dict[str, Log], kept: Path, tmp_path: Path) -> None:
    with acting_as("superuser"), mutated():
        as_api()
        export_log(tenant=logs["bolt"].firm.id, output=tmp_path / "bolt")
    assert {each.kind for each in verify_export(tmp_path / "bolt", kept).findings} == {"FOREIGN_CHECKPOINT"}


def test_without_the_checkpoint_a_log_cut_and_tidied_looks_whole_and_with_it_it_does_not(logs: dict[str, Log]) -> None:
    """Why a checkpoint is kept outside; an empty log is no intact one."""
    log = logs["acme"]
    with acting_as("superuser"), mutated():
        with connection.cursor() as cursor:
            for table in ("payload", "event", "leaf", "subtree", "checkpoint"):
                cursor.execute(f"DELETE FROM audit_{table} WHERE tenant_id = %s", [log.firm.id])
        as_api()
        assert verify_tenant(tenant=log.firm.id).is_intact
        report = verify_tenant(tenant=log.firm.id, checkpoint=log.kept)
        assert (report.size, dict(report.totals)) == (0, {FindingClass.TRUNCATED: 1})
        output = StringIO()
        with pytest.raises(CommandError) as caught:
            _verify(output, log, _note(log))
    assert caught.value.returncode == 1
    assert "FAILED: 1 finding" in output.getvalue()


def test_authorised_removals_raise_no_alarm_and_every_other_one_among_them_is_found(
    logs: dict[str, Log], put_back: None, tmp_path: Path
) -> None:
    """Removed by the services as glassbox_eraser, and by a superuser past all of it; looked at after every round."""
    log, chosen = logs["bolt"], random.Random(SEED)
    firm = log.firm
    groups = [
        (row["event_id"], group)
        for row in log.rows
        for group in row["groups"]
        if row["header"]["action"] != "audit.payload.erased"
    ]
    sealed(firm)
    chosen.shuffle(groups)
    robbed: set[tuple[str, str]] = set()
    done = 0
    while done < ERASURES:
        batch = [groups.pop() for _ in range(min(chosen.randint(1, 20), ERASURES - done))]
        done += len(batch)
        execute(firm, authorise(firm, batch))
        if chosen.random() < 0.7:
            robbed.add(groups.pop())
    assert checkpointed(firm)
    with acting_as("superuser"), mutated():
        with connection.cursor() as cursor:
            for event_id, group in robbed:
                cursor.execute("DELETE FROM audit_payload WHERE event_id = %s AND field_group = %s", [event_id, group])
        as_api()
        report = verify_tenant(tenant=firm.id)
        export_log(tenant=firm.id, output=tmp_path / "robbed")
        without = verify_tenant(tenant=firm.id, contents=False)
        export_log(tenant=firm.id, output=tmp_path / "without", contents=False)
    found = of_application(report)
    assert robbed
    assert {(kind, event, group) for kind, _, event, group, _ in found} == {
        ("UNAUTHORISED_REMOVAL", *place) for place in robbed
    }
    assert report.checked.removed == done + len(robbed) + len(log.removed)
    assert found == of_application(without)
    assert found == of_offline(verify_export(tmp_path / "robbed", None, log_keys()))
    assert found == of_offline(verify_export(tmp_path / "without", None, log_keys()))


# --- By command, and since a checkpoint -------------------------------------------------------------------------------


def _note(log: Log) -> str:
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"kept-{log.firm.id}.txt"  # noqa: S108
    path.write_text(log.kept, encoding="utf-8")
    return str(path)


def _verify(output: StringIO, log: Log, note: str, *options: str) -> None:
    call_command("audit", "verify", "--tenant", log.firm.tenant.slug, "--checkpoint", note, *options, stdout=output)


def test_since_a_checkpoint_only_what_came_after_it_is_opened(logs: dict[str, Log]) -> None:
    log = logs["acme"]
    with acting_as("superuser"), mutated():
        DatabaseStore(log).damage(*next(each for each in _present(log) if each[0] < 200))
        as_api()
        report = verify_tenant(tenant=log.firm.id, checkpoint=log.kept, since=True)
        assert report.is_intact
        assert (report.first, report.checked.leaves) == (log.sizes[-1], log.size - log.sizes[-1])
        assert not verify_tenant(tenant=log.firm.id, checkpoint=log.kept).is_intact
    with acting_as("superuser"), mutated():
        DatabaseStore(log).damage(*next(each for each in _present(log) if each[0] > log.sizes[-1]))
        DatabaseStore(log).hash(3, bytes(32))
        as_api()
        report = verify_tenant(tenant=log.firm.id, checkpoint=log.kept, since=True)
        assert {FindingClass.ALTERED_GROUP, FindingClass.INCONSISTENT} <= report.totals.keys()


def _present(log: Log) -> list[tuple[int, str]]:
    return [(row["index"], group) for row in log.rows for group in row["groups"]]


def test_the_command_says_what_is_wrong_in_words_and_as_json(logs: dict[str, Log], kept: Path) -> None:
    log, output = logs["acme"], StringIO()
    index, group = _present(log)[40]
    _verify(output, log, str(kept))
    assert "Intact." in output.getvalue()
    with acting_as("superuser"), mutated():
        DatabaseStore(log).drop_group(index, group)
        as_api()
        output = StringIO()
        with pytest.raises(CommandError):
            _verify(output, log, str(kept))
        line = next(line for line in output.getvalue().splitlines() if "UNAUTHORISED_REMOVAL" in line)
        assert f"leaf {index}, event {log.event(index)}, group {group}: it is gone" in line
        output = StringIO()
        with pytest.raises(CommandError):
            _verify(output, log, str(kept), "--json", "--commitments-only")
    told = json.loads(output.getvalue())
    assert told["findings"][0] | {"words": ""} == {
        "class": "UNAUTHORISED_REMOVAL",
        "words": "",
        "leaf": index,
        "event": log.event(index),
        "group": group,
        "size": None,
    }


def test_a_checkpoint_that_nobody_known_has_signed_proves_nothing(logs: dict[str, Log], tmp_path: Path) -> None:
    forged = tmp_path / "forged.txt"
    forged.write_text(logs["acme"].kept.replace("\n280\n", "\n281\n"), encoding="utf-8")
    with pytest.raises(CommandError, match="can't be trusted") as caught:
        _verify(StringIO(), logs["acme"], str(forged))
    assert caught.value.returncode == 2


def test_an_event_that_waits_is_no_finding_until_it_has_waited_too_long(logs: dict[str, Log]) -> None:
    """A queue that nobody works at is a way to keep an event out of the tree."""
    firm: Firm = logs["acme"].firm
    with acting_as("superuser"), mutated():
        with open_scope(tenant=firm.id, reason="a test"):
            id = record(action="tenants.scope.created", core={"key": "fund:x"}).id
        as_api()
        assert verify_tenant(tenant=firm.id).is_intact
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")
            cursor.execute(
                "UPDATE audit_event SET occurred_at = occurred_at - interval '6 minutes' WHERE id = %s", [id]
            )
        as_api()
        assert [each.kind for each in verify_tenant(tenant=firm.id).findings] == [FindingClass.UNSEALED]
