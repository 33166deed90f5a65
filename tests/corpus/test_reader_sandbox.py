"""What a reading child can do that was taken over: "a wrong text of its own file and nothing else" (reader/README.md).

The file is a program: it runs where a parser would have been made to run it, within all that holds the child. What it
brings home is the name of an exception, which the door tells. Each is run without the sandbox too: there it must work.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from psycopg.conninfo import conninfo_to_dict

from apps.corpus.extraction.errors import ReaderFailedError
from apps.corpus.reader import pages_contained, process
from config.services import endpoints
from tests.corpus.taken_over import SYSCALLS, own_server

_TAKEN_OVER = """
def taken_over(content, request, on_page):
    found = {"server": os.getppid()}
    try:
        exec(content.decode(), found)
    except BaseException as error:
        raise type(f"held {type(error).__name__}", (Exception,), {})() from None
    raise type("THROUGH" + str(found.get("loot", ""))[:40], (Exception,), {})
server.OPERATIONS["pages"] = (taken_over, server.OPERATIONS["pages"][1])
"""
_BARE = "from apps.corpus.reader.sandbox import Sandbox\nSandbox.enter = lambda self: None\n"

pytestmark = [
    pytest.mark.skipif(not SYSCALLS, reason="needs a Linux kernel that the sandbox has numbers for"),
    pytest.mark.django_db,  # its server is one of what is attacked
]


@pytest.fixture
def within(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with own_server(monkeypatch, _TAKEN_OVER):
        yield


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with own_server(monkeypatch, _BARE + _TAKEN_OVER):
        yield


def brought(program: str) -> str:
    with pytest.raises(ReaderFailedError) as refused:
        pages_contained(program.encode(), filename="report.pdf")
    return str(refused.value.data["reason"])


def _environment(path: Path) -> str:
    """Where a process' secrets are, as the README of the platform hands them out."""
    return f"loot = len(open('/proc/{os.getpid()}/environ', 'rb').read(9))"


def _memory(path: Path) -> str:
    return f"""
first = open('/proc/{os.getpid()}/maps').readline().split('-')[0]
file = open('/proc/{os.getpid()}/mem', 'rb', buffering=0)
file.seek(int(first, 16))
loot = file.read(4)
"""


def _server_memory(path: Path) -> str:
    """It has the file of the tenant before, and of the one after."""
    return "loot = open(f'/proc/{server}/maps').read(9); open(f'/proc/{server}/mem', 'r+b')"


def _secrets(path: Path) -> str:
    path.joinpath("secrets.json").write_text("a secret", encoding="utf-8")
    path.joinpath("secrets.json").chmod(0o600)
    return f"loot = open({str(path / 'secrets.json')!r}).read()"


def _readable_by_all(path: Path) -> str:
    path.joinpath("public").write_text("read by all", encoding="utf-8")
    return f"loot = open({str(path / 'public')!r}).read()"


def _checkout(path: Path) -> str:
    """The folder of the platform's state is in it."""
    return f"import os; loot = len(os.listdir({str(Path(__file__).parents[2])!r}))"


def _signal_worker(path: Path) -> str:
    return f"import os; os.kill({os.getpid()}, 0)"


def _signal_server(path: Path) -> str:
    """The next file of another tenant is then read by whatever is there."""
    return "import os; os.kill(server, 0)"


def _limits_of_worker(path: Path) -> str:
    return f"import resource; resource.prlimit({os.getpid()}, resource.RLIMIT_NOFILE)"


def _database(path: Path) -> str:
    found = conninfo_to_dict(endpoints(settings.GLASSBOX_HOME).admin_dsn)
    listening = f"{found['host']}/.s.PGSQL.{found.get('port') or 5432}"
    assert Path(listening).is_socket(), "a broken test: the server listens elsewhere"
    return f"import socket; socket.socket(socket.AF_UNIX).connect({listening!r})"


def _socket(path: Path) -> str:
    return "import socket; socket.socketpair()"


def _fork(path: Path) -> str:
    return "import os; pid = os.fork()\nif not pid: os._exit(0)"


def _program(path: Path) -> str:
    return "import os; os.execv('/bin/true', ['true'])"


def _mode(path: Path) -> str:
    path.joinpath("mine").touch()
    return f"import os; os.chmod({str(path / 'mine')!r}, 0o666)"


def _output(path: Path) -> str:
    """A line in the worker's log that the worker did not write."""
    return """
import os
loot = ' '.join(sorted({os.readlink(f'/proc/self/fd/{n}').split(':')[0] for n in (1, 2)}))
if loot == '/dev/null':
    raise OSError
"""


ATTACKS: dict[str, Callable[[Path], str]] = {
    each.__name__[1:]: each
    for each in (
        *(_environment, _memory, _server_memory, _secrets, _readable_by_all, _checkout, _signal_worker),
        *(_signal_server, _limits_of_worker, _database, _socket, _fork, _mode),
    )
}


_HELD_ALREADY = ("fork", "environment", "memory", "server_memory")


@pytest.mark.slow
@pytest.mark.usefixtures("within")
def test_a_file_that_takes_the_child_over_runs() -> None:
    assert brought("loot = 6 * 7") == "THROUGH42"


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("attack", ATTACKS)
def test_without_the_sandbox_the_attack_works(attack: str, tmp_path: Path) -> None:
    """The control of the next test."""
    if attack in _HELD_ALREADY and os.geteuid() != 0:
        pytest.skip("for everybody but root the limits, and what every process closes of itself, hold it already")
    assert "THROUGH" in brought(ATTACKS[attack](tmp_path))


@pytest.mark.usefixtures("within")
@pytest.mark.parametrize("attack", ATTACKS)
def test_within_the_sandbox_it_is_held(attack: str, tmp_path: Path) -> None:
    assert brought(ATTACKS[attack](tmp_path)).startswith("held ")


@pytest.mark.slow
def test_it_finds_no_secret_in_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSBOX_DB_PASSWORD_API", "swordfish")
    with own_server(monkeypatch, _TAKEN_OVER):
        known = {*process._ENVIRONMENT, "LC_CTYPE"}
        assert brought(f"import os; loot = sorted(set(os.environ) - {known})") == "THROUGH[]"


@pytest.mark.usefixtures("within")
def test_it_starts_no_program() -> None:
    """Without the sandbox the program is started, and tells nothing."""
    assert brought(_program(Path())).startswith("held ")


@pytest.mark.usefixtures("within")
def test_it_opens_no_connection_to_anywhere() -> None:
    """What it read, it could send."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert brought(f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)").startswith("held ")


def _change(path: Path) -> str:
    path.joinpath("kept").write_text("kept", encoding="utf-8")
    return f"""
import os
folder = {str(path)!r}
for act in (lambda: os.remove(folder + '/kept'), lambda: os.symlink('/etc/passwd', folder + '/link'),
            lambda: os.mkdir(folder + '/folder'), lambda: os.truncate(folder + '/kept', 0),
            lambda: os.rename(folder + '/kept', folder + '/moved'), lambda: open(folder + '/kept', 'w').close()):
    try:
        act()
    except OSError:
        pass
"""


@pytest.mark.usefixtures("within")
def test_it_makes_changes_and_removes_no_file(tmp_path: Path) -> None:
    assert brought(_change(tmp_path)) == "THROUGH"
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"kept": "kept"}


@pytest.mark.usefixtures("without")
def test_without_the_sandbox_it_does(tmp_path: Path) -> None:
    brought(_change(tmp_path))
    assert {each.name for each in tmp_path.iterdir()} != {"kept"}


@pytest.mark.usefixtures("without")
@pytest.mark.skipif(os.geteuid() != 0, reason="for everybody but root the limit on processes lets nothing be left")
def test_what_it_leaves_behind_is_ended_even_without_the_sandbox() -> None:
    """Who stays sees the next file, which is of another tenant: it belongs to the same user."""
    program = """
import os, time
loot = os.fork()
if not loot:
    os.setsid()
    os.closerange(0, 64)
    time.sleep(300)
    os._exit(0)
"""
    pid = int(brought(program).removeprefix("THROUGH"))
    stays = psutil.pid_exists(pid)
    if stays:
        os.kill(pid, signal.SIGKILL)
    assert not stays


@pytest.mark.usefixtures("within")
def test_it_holds_no_descriptor_of_the_worker() -> None:
    assert brought(_output(Path())).startswith("held ")


@pytest.mark.usefixtures("within")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_root_reads_as_an_account_that_nobody_has() -> None:
    program = "import os; loot = (os.getuid(), os.geteuid(), os.getgid())"
    uid = brought(program).removeprefix("THROUGH(").split(",")[0]
    assert int(uid) > 1_000


@pytest.mark.usefixtures("within")
def test_it_still_reads_the_libraries() -> None:
    """A module that is loaded only when a file needs it."""
    assert brought("import wave; loot = wave.__name__") == "THROUGHwave"
