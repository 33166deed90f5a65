"""What a DELETE leaves on the disk, what each step takes away, and what remains without it. On a server of its own, set
up as in production: with checksums, compressed page images in WAL, and WAL segments that are used again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import psycopg
import pytest
import redis

from apps.erasure.residue.access import Access, FilesBySql, LocalFiles, server_files
from apps.erasure.residue.control import control
from apps.erasure.residue.distinctive import NOT_DISTINCTIVE, distinctive
from apps.erasure.residue.encodings import Encoding
from apps.erasure.residue.needles import Needles, make_needles
from apps.erasure.residue.physical import Progress, physical_phase
from apps.erasure.residue.places import ByteSource, every_place
from apps.erasure.residue.plan import PhysicalPlan, plan_physical
from apps.erasure.residue.results import ScanResult
from apps.erasure.residue.scanning import scan, scan_places
from apps.erasure.residue.wal_turnover import turn_over_wal
from tests.audit.residue_cluster import DATABASE, TABLE, make_table, remove, running_cluster, subject

pytestmark = pytest.mark.slow

PAGES = frozenset({"heap", "TOAST", "index (btree)", "index (gin)", "index (hnsw)"})


@pytest.fixture(scope="module")
def cluster() -> Iterator[Access]:
    with running_cluster() as access:
        yield access


def look(needles: Needles, access: Access, *, dump: bool = False) -> ScanResult:
    return scan(needles, every_place(access, dump=dump))


def statement(access: Access, text: str) -> None:
    with access.connect() as connection:
        # The servers of tests commit before WAL is written to its file, where the scan reads it.
        connection.execute("SET synchronous_commit = on")
        connection.execute(text)


def test_each_step_takes_away_what_the_one_before_left(cluster: Access) -> None:
    keep, erase = subject(1), subject(2)
    needles = erase.needles()
    make_table(cluster, keep=keep, erase=erase)

    before = control(needles, every_place(cluster))
    assert before.proves, before.as_json()
    assert set(before.scan.by_group()) >= PAGES | {"pg_statistic", "WAL", "dump"}

    remove(cluster)
    deleted = look(needles, cluster, dump=True)
    assert set(deleted.by_group()) == PAGES | {"pg_statistic", "WAL"}

    statement(cluster, f"VACUUM {TABLE}")
    assert {"heap", "TOAST", "index (btree)"} <= set(look(needles, cluster).by_group())

    statement(cluster, f"VACUUM (FULL, ANALYZE) {TABLE}")
    assert set(look(needles, cluster).by_group()) == {"pg_statistic", "WAL"}

    statement(cluster, "VACUUM FULL pg_statistic")
    assert set(look(needles, cluster).by_group()) == {"WAL"}

    statement(cluster, "CHECKPOINT")
    assert set(look(needles, cluster).by_group()) == {"WAL"}

    assert turn_over_wal(cluster) == ""
    assert look(needles, cluster, dump=True).clean
    assert not look(keep.needles(), cluster).clean


def test_the_whole_phase_leaves_nothing_and_what_stays_is_still_there(cluster: Access) -> None:
    keep, erase = subject(3), subject(4)
    make_table(cluster, keep=keep, erase=erase)
    remove(cluster)
    assert not look(erase.needles(), cluster).clean

    told: list[Progress] = []
    result = physical_phase([TABLE], access=cluster, on_progress=told.append)

    assert result.complete, result.as_json()
    assert [progress.number for progress in told] == list(range(1, len(result.steps) + 1))
    assert look(erase.needles(), cluster, dump=True).clean
    after = control(keep.needles(), every_place(cluster))
    assert after.proves, after.as_json()


def test_statistics_of_a_table_that_is_empty_now_are_forgotten(cluster: Access) -> None:
    erase = subject(5)
    make_table(cluster, keep=subject(6), erase=erase)
    statement(cluster, f"DELETE FROM {TABLE}")
    statement(cluster, f"VACUUM (FULL, ANALYZE) {TABLE}")
    statement(cluster, "VACUUM FULL pg_statistic")
    assert "pg_statistic" in look(erase.needles(), cluster).by_group()

    assert physical_phase([TABLE], access=cluster).complete
    assert look(erase.needles(), cluster).clean


def test_an_older_transaction_is_waited_for_and_named(cluster: Access) -> None:
    erase = subject(7)
    make_table(cluster, keep=subject(8), erase=erase)
    with psycopg.connect(cluster.admin_url, dbname=DATABASE) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute(f"SELECT count(*) FROM {TABLE}")
        remove(cluster)
        plan = plan_physical([TABLE], access=cluster)
        waiting = physical_phase([TABLE], access=cluster, plan=plan, wait_s=0)
        assert not waiting.complete
        assert [step.key for step in waiting.steps] == ["transactions"]
        assert f"session {reader.info.backend_pid}" in waiting.steps[0].detail
    assert physical_phase([TABLE], access=cluster, plan=plan).complete
    assert look(erase.needles(), cluster).clean


@pytest.mark.parametrize("database", [DATABASE, "postgres"])
def test_who_writes_between_two_statements_is_waited_for_and_named(cluster: Access, database: str) -> None:
    """It has no snapshot, so that nothing shows what it may see. In another database, it sees nothing of ours; but
    every snapshot that is taken here, by whoever writes a table anew too, goes back to where it began."""
    erase = subject(70)
    make_table(cluster, keep=subject(71), erase=erase)
    with psycopg.connect(cluster.admin_url, dbname=database) as writer:
        writer.execute("SELECT pg_current_xact_id()")
        remove(cluster)
        plan = plan_physical([TABLE], access=cluster)
        waiting = physical_phase([TABLE], access=cluster, plan=plan, wait_s=0)
        assert [step.key for step in waiting.steps] == ["transactions"]
        assert f"session {writer.info.backend_pid}" in waiting.steps[0].detail
    assert physical_phase([TABLE], access=cluster, plan=plan).complete
    assert look(erase.needles(), cluster).clean


def test_who_began_while_tables_were_written_anew_is_waited_for_before_the_statistics_are(cluster: Access) -> None:
    """What ANALYZE replaces is gone from then on, not from when the plan was made."""
    erase = subject(72)
    make_table(cluster, keep=subject(73), erase=erase)
    statement(cluster, f"ANALYZE {TABLE}")
    remove(cluster)
    plan = plan_physical([TABLE], access=cluster)
    with psycopg.connect(cluster.admin_url, dbname="postgres") as writer:

        def begin(progress: Progress) -> None:
            if progress.label == f"Rewrite {TABLE}":
                writer.execute("SELECT pg_current_xact_id()")

        waiting = physical_phase([TABLE], access=cluster, plan=plan, on_progress=begin, wait_s=0)
        undone = {step.key: step.detail for step in waiting.steps if not step.done}
        assert set(undone) == {"statistics:pg_statistic", "statistics:pg_statistic_ext_data"}
        assert f"session {writer.info.backend_pid}" in undone["statistics:pg_statistic"]
    assert physical_phase([TABLE], access=cluster, plan=plan).complete
    assert look(erase.needles(), cluster).clean


@pytest.mark.parametrize("stop_at", [1, 2, 3, 5, 6])
def test_it_goes_on_with_its_plan_wherever_it_was_ended(cluster: Access, stop_at: int) -> None:
    erase = subject(10 + stop_at, rows=6)
    make_table(cluster, keep=subject(30, rows=6), erase=erase)
    remove(cluster)
    plan = plan_physical([TABLE], access=cluster)

    def end(progress: Progress) -> None:
        if progress.number == stop_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        physical_phase([TABLE], access=cluster, plan=plan, on_progress=end)
    files_before = [each.file for each in plan_physical([TABLE], access=cluster).tables]

    again = PhysicalPlan.from_json(json.loads(json.dumps(plan.as_json())))
    assert physical_phase([TABLE], access=cluster, plan=again).complete
    files_after = [each.file for each in plan_physical([TABLE], access=cluster).tables]
    assert (files_before == files_after) == (stop_at > 2)  # what was written anew is not written twice
    assert look(erase.needles(), cluster).clean


def test_a_table_in_use_is_tried_again_until_it_is_free(cluster: Access) -> None:
    make_table(cluster, keep=subject(40, rows=3), erase=subject(41, rows=3))
    remove(cluster)
    plan = plan_physical([TABLE], access=cluster)
    with psycopg.connect(cluster.admin_url, dbname=DATABASE) as user:
        user.execute(f"LOCK TABLE {TABLE} IN ACCESS SHARE MODE")
        freed = threading.Timer(1.0, user.rollback)
        freed.start()
        result = physical_phase([TABLE], access=cluster, plan=plan)
        freed.join()
    assert result.complete, result.as_json()


def test_who_may_not_write_a_table_anew_is_not_believed_to_have(cluster: Access) -> None:
    make_table(cluster, keep=subject(42, rows=3), erase=subject(43, rows=3))
    statement(cluster, "DROP ROLE IF EXISTS bob")
    statement(cluster, "CREATE ROLE bob LOGIN PASSWORD 'right'")
    statement(cluster, f"GRANT SELECT ON {TABLE} TO bob")
    as_bob = replace(cluster, admin_url=cluster.admin_url.replace("user=postgres", "user=bob password=right"))
    result = physical_phase([TABLE], access=as_bob)
    assert not result.complete
    done = {step.key: step.done for step in result.steps}
    assert not done[f"table:{TABLE}"]
    assert not done["statistics:pg_statistic"]
    assert not done["wal"]


def test_a_missing_table_is_refused(cluster: Access) -> None:
    with pytest.raises(ValueError, match=r"no table public\.nowhere"):
        physical_phase(["nowhere"], access=cluster)


def test_a_control_with_something_that_is_nowhere_proves_nothing(cluster: Access) -> None:
    make_table(cluster, keep=subject(44, rows=3), erase=subject(45, rows=3))
    needles = make_needles(texts=[*subject(45, rows=3).emails, "Charlie Nowhere-Found"])
    result = control(needles, every_place(cluster))
    assert not result.proves
    assert result.missing == {"text": 1}


def test_a_control_leaves_nothing_of_its_own_behind(cluster: Access) -> None:
    make_table(cluster, keep=subject(44, rows=3), erase=subject(45, rows=3))
    assert control(subject(45, rows=3).needles(), every_place(cluster)).proves
    with cluster.connect() as connection:
        row = connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'residue%'").fetchone()
    assert row == (0,)
    assert list(cluster.home.glob("residue_check*")) == []
    assert list(redis.Redis.from_url(cluster.redis_urls[0]).scan_iter("*residue_check*")) == []


def test_compressed_values_are_read_live_and_deleted(cluster: Access) -> None:
    stories = [story for story in subject(50).stories if len(story) > 2_000]
    statement(cluster, "DROP TABLE IF EXISTS packed")
    statement(cluster, "CREATE TABLE packed (story text)")
    with cluster.connect() as connection:
        for story in stories:
            connection.execute("INSERT INTO packed VALUES (%s)", [story])
        row = connection.execute("SELECT count(pg_column_compression(story)) FROM packed").fetchone()
    assert row == (len(stories),)
    needles = make_needles(texts=stories)

    def found() -> set[int]:
        own = [place for place in every_place(cluster, dump=False).places if place.table == "packed"]
        assert not {hit for hit in scan_places(needles, own).hits if not hit.packed and hit.group == "heap"}
        return set(scan_places(needles, own).found)

    statement(cluster, "CHECKPOINT")
    assert found() == needles.looked_for()
    statement(cluster, "DELETE FROM packed")
    statement(cluster, "CHECKPOINT")
    assert found() == needles.looked_for()


def test_page_images_in_wal_are_read_though_they_are_compressed(cluster: Access) -> None:
    make_table(cluster, keep=subject(52), erase=subject(53))
    assert turn_over_wal(cluster) == ""
    emails = make_needles(texts=subject(53).emails)
    wal = [place for place in every_place(cluster, dump=False).places if place.group == "WAL"]
    assert scan_places(emails, wal).hits == ()
    # The first change of a page after a checkpoint puts all of the page into WAL; the change itself names nobody.
    statement(cluster, "CHECKPOINT")
    statement(cluster, f"UPDATE {TABLE} SET gone = NOT gone WHERE email IS NULL OR ctid = '(0,1)'")
    result = scan_places(emails, [place for place in every_place(cluster, dump=False).places if place.group == "WAL"])
    assert {hit.packed for hit in result.hits} >= {True}


def test_redis_keys_of_every_type_a_file_and_a_log_are_read(cluster: Access) -> None:
    needles = make_needles(texts=["Annabel Lee, Seaside Kingdom"])
    name = b"Annabel Lee, Seaside Kingdom"
    client = redis.Redis.from_url(cluster.redis_urls[0])
    fill: dict[str, Callable[[str], object]] = {
        "text": lambda key: client.set(key, b"<" + name + b">"),
        "list": lambda key: client.rpush(key, name),
        "set": lambda key: client.sadd(key, name),
        "zset": lambda key: client.zadd(key, {name: 1.0}),
        "hash": lambda key: client.hset(key, "who", name),
        "stream": lambda key: client.xadd(key, {"who": name}),
        "key": lambda key: client.set(key + "Annabel Lee, Seaside Kingdom", b""),
    }
    for kind, put in fill.items():
        put(f"test:{kind}:")
        assert look(needles, cluster).by_group() == {"Redis": 1}, kind
        client.flushdb()
    for folder, group in (("log", "logs"), ("media", "folder home")):
        path = cluster.home / folder / "some.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * 5_000_000 + name)
        hits = look(needles, cluster).hits
        assert [(hit.group, hit.place, hit.offsets) for hit in hits] == [(group, f"{folder}/some.txt", (5_000_000,))]
        path.unlink()


def test_what_begins_in_one_block_and_ends_in_the_next_is_found_once() -> None:
    needles = make_needles(texts=["Annabel Lee"])
    for cut in range(12):
        whole = b"before Annabel Lee after"
        blocks = [whole[: 7 + cut], whole[7 + cut :]]
        place = ByteSource(group="file", name="x", read=lambda blocks=blocks: iter(blocks))  # type: ignore[misc]
        assert [(hit.count, hit.offsets) for hit in scan_places(needles, [place]).hits] == [(1, (7,))]


def test_a_server_whose_disk_is_elsewhere_is_read_by_sql(cluster: Access) -> None:
    erase = subject(54)
    make_table(cluster, keep=subject(55), erase=erase)
    assert isinstance(server_files(cluster), LocalFiles)
    by_sql, local = FilesBySql(cluster), server_files(cluster)
    assert local is not None
    statement(cluster, "CHECKPOINT")
    same = [path for path in by_sql.walk("base") if not path.endswith((".tmp", "pg_internal.init"))]
    assert set(same) <= set(local.walk("base"))
    assert len(same) > 300
    with cluster.connect() as connection:
        row = connection.execute("SELECT pg_relation_filepath('person')").fetchone()
    assert row is not None
    assert b"".join(by_sql.read(row[0])) == b"".join(local.read(row[0]))
    assert list(by_sql.read("base/0/nowhere")) == []


def test_what_is_out_of_reach_is_named(cluster: Access) -> None:
    statement(cluster, "DROP ROLE IF EXISTS charlie")
    statement(cluster, "CREATE ROLE charlie LOGIN PASSWORD 'right'")
    away = replace(
        cluster,
        admin_url=cluster.admin_url.replace("user=postgres", "user=charlie password=right"),
        pg_dump="",
        embedded=False,
    )
    places = every_place(away)
    assert "heap" not in {place.group for place in places.places}
    told = "\n".join(places.unreachable)
    for part in (
        "data directory, WAL",
        "server's log",
        "a fresh dump",
        "disk blocks",
        "backups made earlier",
        "memory",
    ):
        assert part in told
    assert scan(make_needles(texts=["Annabel Lee"]), places).clean  # Redis and folders are still read
    assert all(part in "\n".join(every_place(cluster).unreachable) for part in ("disk blocks", "backups", "memory"))


def test_a_needle_that_others_have_too_is_left_out_and_counted(cluster: Access) -> None:
    keep, erase = subject(56, rows=4), subject(57, rows=4)
    make_table(cluster, keep=keep, erase=erase)
    needles = make_needles(texts=[*erase.emails, keep.emails[0]], ids=erase.ids, contents=[keep.files[1]])
    left = distinctive(needles, cluster, gone=erase.ids)
    assert left.looked_for() == set(range(4)) | set(range(5, 9))
    assert left.left_out == {NOT_DISTINCTIVE: 4}


def test_results_hold_nothing_of_what_was_looked_for(cluster: Access) -> None:
    erase = subject(58, rows=4)
    make_table(cluster, keep=subject(59, rows=4), erase=erase)
    result = control(erase.needles(), every_place(cluster))
    written = json.dumps([result.as_json(), result.scan.as_json()]) + repr(result)
    assert not any(email in written for email in erase.emails)
    assert not any(str(each) in written for each in erase.ids)
    assert Encoding.UTF8 in result.scan.by_encoding()
    assert TABLE in result.scan.tables()
