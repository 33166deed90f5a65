"""The embedded services with real processes: on demand, shared, side by side, and after kill -9 of any of them."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from config.services import (
    Durability,
    Endpoints,
    Phase,
    ServiceName,
    endpoints,
    ensure_services,
    release_services,
    status,
    stop_services,
)
from tests.config.conftest import SpawnUser, state_folder

POSTGRES, REDIS = ServiceName.POSTGRES, ServiceName.REDIS


def start(home: Path) -> Endpoints:
    return ensure_services(home=home, durability=Durability.DISPOSABLE)


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def answers(home: Path) -> bool:
    reached = endpoints(home)
    try:
        with psycopg.connect(reached.admin_dsn, connect_timeout=2) as connection:
            connection.execute("SELECT 1")
        return bool(redis.Redis.from_url(reached.redis_url).ping())
    except (psycopg.OperationalError, redis.ConnectionError, redis.TimeoutError):
        return False


def stopped(home: Path) -> bool:
    return all(state.phase is Phase.STOPPED for state in status(home=home).values())


def server_pid(home: Path, service: ServiceName) -> int:
    pid = status(home=home)[service].pid
    assert pid is not None
    return pid


def gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def kill_keeper(home: Path, service: ServiceName) -> None:
    pid = status(home=home)[service].keeper_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: gone(pid), "the keeper is gone")


@pytest.fixture(scope="module")
def running() -> Iterator[Path]:
    """A state folder for those who only look: services that were started for the first time, and run."""
    with state_folder() as folder:
        start(folder)
        yield folder


class TestOnDemand:
    def test_the_first_start_makes_all_there_is(self, running: Path) -> None:
        assert answers(running)

    def test_the_endpoints_are_known_before_anything_runs(self, bare_home: Path) -> None:
        expected = endpoints(bare_home)
        assert ensure_services(home=bare_home, needed={REDIS}) == expected

    def test_only_what_is_needed_is_started(self, bare_home: Path) -> None:
        ensure_services(home=bare_home, needed={REDIS})
        assert {name: state.phase for name, state in status(home=bare_home).items()} == {
            POSTGRES: Phase.STOPPED,
            REDIS: Phase.READY,
        }

    def test_a_second_start_finds_the_first(self, running: Path) -> None:
        first = server_pid(running, POSTGRES)
        start(running)
        assert server_pid(running, POSTGRES) == first

    @pytest.mark.slow
    def test_data_survive_a_stop(self, home: Path) -> None:
        with psycopg.connect(start(home).admin_dsn) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        stop_services(home=home)
        with psycopg.connect(start(home).admin_dsn) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)

    def test_pgvector_is_there(self, running: Path) -> None:
        with psycopg.connect(endpoints(running).admin_dsn) as connection:
            connection.execute("CREATE EXTENSION vector")
            row = connection.execute("SELECT '[1,0]'::vector <=> '[0,1]'").fetchone()
        assert row == (1.0,)

    def test_no_network_port_is_opened(self, running: Path) -> None:
        listening = [
            connection
            for service in ServiceName
            for connection in psutil.Process(server_pid(running, service)).net_connections("inet")
        ]
        assert listening == []

    def test_other_accounts_can_not_enter_the_sockets(self, running: Path) -> None:
        assert stat.S_IMODE(Path(endpoints(running).postgres_host).stat().st_mode) == 0o700

    def test_a_role_needs_its_password(self, running: Path) -> None:
        reached = endpoints(running)
        with psycopg.connect(reached.admin_dsn) as connection:
            connection.execute("CREATE ROLE alice LOGIN PASSWORD 'right'")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(f"host={reached.postgres_host} user=alice password=wrong dbname=postgres")

    def test_a_disposable_server_does_not_wait_for_the_disk(self, running: Path) -> None:
        with psycopg.connect(endpoints(running).admin_dsn) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("off",)

    def test_a_server_waits_for_the_disk_unless_told_otherwise(self, home: Path) -> None:
        with psycopg.connect(ensure_services(home=home, needed={POSTGRES}).admin_dsn) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("on",)


class TestUsers:
    def test_they_stop_when_the_only_user_leaves(self, home: Path) -> None:
        start(home)
        release_services(home=home, wait_s=15)
        assert stopped(home)

    def test_nothing_is_left_running_or_lying_about(self, home: Path) -> None:
        reached = start(home)
        pids = [server_pid(home, service) for service in ServiceName]
        release_services(home=home, wait_s=15)
        assert all(gone(pid) for pid in pids)
        assert not Path(reached.postgres_host).exists()

    @pytest.mark.slow
    def test_they_run_on_while_another_process_uses_them(self, home: Path, spawn_user: SpawnUser) -> None:
        bob = spawn_user(home)
        assert bob.stdout is not None
        assert bob.stdout.readline() == "ready\n"
        start(home)
        release_services(home=home, wait_s=15)
        time.sleep(0.5)
        assert answers(home)

    @pytest.mark.slow
    def test_they_stop_after_the_last_user_was_killed(self, home: Path, spawn_user: SpawnUser) -> None:
        bob = spawn_user(home)
        assert bob.stdout is not None
        assert bob.stdout.readline() == "ready\n"
        bob.kill()
        wait_for(lambda: stopped(home), "stopped after kill -9 of the only user")

    @pytest.mark.slow
    def test_a_forked_child_keeps_them_alive(self, home: Path) -> None:
        start(home)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
        os.close(reading)
        release_services(home=home)
        time.sleep(0.5)
        alive = answers(home)
        os.close(writing)
        os.waitpid(child, 0)
        assert alive

    @pytest.mark.slow
    def test_first_starts_at_once_share_one_server(self, bare_home: Path, spawn_user: SpawnUser) -> None:
        users = [spawn_user(bare_home) for _ in range(4)]
        outputs = [user.stdout.readline() for user in users if user.stdout is not None]
        assert outputs == ["ready\n"] * 4
        data = str(bare_home / "postgres" / "data")
        masters = [process for process in psutil.process_iter(["cmdline"]) if data in (process.info["cmdline"] or [])]
        assert len(masters) == 1

    @pytest.mark.slow
    def test_a_start_during_the_stop_waits_and_starts_anew(self, home: Path) -> None:
        for _ in range(3):
            start(home)
            release_services(home=home)
            time.sleep(0.12)  # the keeper has just seen that nobody is left
        start(home)
        assert answers(home)

    @pytest.mark.slow
    def test_two_homes_are_two_servers(self, home: Path) -> None:
        other = home.with_name("other")
        start(home)
        start(other)
        try:
            assert server_pid(home, POSTGRES) != server_pid(other, POSTGRES)
        finally:
            stop_services(home=other)
        assert answers(home)

    @pytest.mark.slow
    def test_a_removed_home_takes_its_servers_with_it(self, home: Path) -> None:
        start(home)
        pids = [server_pid(home, service) for service in ServiceName]
        shutil.rmtree(home, ignore_errors=True)
        wait_for(lambda: all(gone(pid) for pid in pids), "servers of a removed home ended")

    @pytest.mark.slow
    def test_a_home_that_was_removed_in_use_starts_afresh(self, home: Path) -> None:
        start(home)
        shutil.rmtree(home, ignore_errors=True)
        start(home)
        wait_for(lambda: answers(home), "a new home answers")


class TestKill:
    @pytest.mark.slow
    @pytest.mark.parametrize("service", [POSTGRES, REDIS])
    def test_a_killed_server_is_started_again(self, home: Path, service: ServiceName) -> None:
        start(home)
        killed = server_pid(home, service)
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: status(home=home)[service].pid not in (None, killed) and answers(home), "restarted")

    @pytest.mark.slow
    def test_commits_survive_the_postmasters_death(self, home: Path) -> None:
        reached = ensure_services(home=home, needed={POSTGRES})
        with psycopg.connect(reached.admin_dsn) as connection:
            connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 1000)")
        killed = server_pid(home, POSTGRES)
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: status(home=home)[POSTGRES].pid not in (None, killed), "restarted")
        ensure_services(home=home, needed={POSTGRES})
        with psycopg.connect(reached.admin_dsn) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1000,)

    @pytest.mark.slow
    def test_a_server_at_work_when_all_is_killed_comes_back(self, home: Path) -> None:
        connection = psycopg.connect(start(home).admin_dsn)
        server = server_pid(home, POSTGRES)
        os.kill(connection.info.backend_pid, signal.SIGSTOP)  # it does not notice the postmaster's death
        kill_keeper(home, POSTGRES)
        os.kill(server, signal.SIGKILL)
        start(home)
        connection.close()
        assert answers(home)

    @pytest.mark.slow
    def test_a_new_keeper_adopts_the_running_servers(self, home: Path) -> None:
        start(home)
        before = [server_pid(home, service) for service in ServiceName]
        for service in ServiceName:
            kill_keeper(home, service)
        start(home)
        assert [server_pid(home, service) for service in ServiceName] == before

    @pytest.mark.slow
    def test_stop_reaches_servers_whose_keeper_was_killed(self, home: Path) -> None:
        start(home)
        pids = [server_pid(home, service) for service in ServiceName]
        for service in ServiceName:
            kill_keeper(home, service)
        stop_services(home=home)
        assert all(gone(pid) for pid in pids)

    @pytest.mark.slow
    def test_a_pid_file_that_names_a_stranger_is_no_obstacle(self, home: Path) -> None:
        start(home)
        stop_services(home=home)
        data = home / "postgres" / "data"
        socket = endpoints(home).postgres_host
        (data / "postmaster.pid").write_text(f"{os.getpid()}\n{data}\n1700000000\n5432\n{socket}\n\n1 1\nready\n")
        start(home)
        assert answers(home)

    @pytest.mark.slow
    def test_a_hung_redis_is_replaced(self, home: Path) -> None:
        start(home)
        hung = server_pid(home, REDIS)
        os.kill(hung, signal.SIGSTOP)
        kill_keeper(home, REDIS)
        start(home)
        assert answers(home)
        assert gone(hung)
