"""Make the virtual environment `.venv` beside manage.py, keep it up to date, and run the command in it.

This module uses the standard library only, because it runs before anything is installed. config/requirements.py reads
what to install, and which releases, by digest, if the lock file fits this machine. A stamp inside `.venv`, which is
written last, records what was installed, so that a start with nothing to do costs a few milliseconds and an interrupted
installation is continued. GLASSBOX_NO_BOOTSTRAP=1 leaves the environment to the operator (containers).

All messages go to stderr, because a command's stdout may be a JSON document.
"""

from __future__ import annotations

import fcntl
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from config.requirements import LOCK, BootstrapError, Lock, Project

CHECKOUT: Final = Path(__file__).resolve().parent.parent
_OPT_OUT: Final = "GLASSBOX_NO_BOOTSTRAP"
_MOVED: Final = "GLASSBOX_BOOTSTRAPPED"
_STAMP: Final = "glassbox-installed.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The virtual environment in `directory`, which may be missing, incomplete, complete or out of date."""

    directory: Path

    @property
    def python(self) -> Path:
        return self.directory / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.directory / _STAMP

    def is_running_us(self) -> bool:
        return Path(sys.prefix).resolve() == self.directory.resolve()

    def missing(self, project: Project) -> list[str]:
        """Return the groups whose current list was not fully installed."""
        installed = self._read_stamp() if self.python.exists() else {}
        return [name for name, digest in project.stamps().items() if installed.get(name) != digest]

    def install(self, project: Project, groups: list[str], *, checkout: Path) -> None:
        """Install the groups. Raises: BootstrapError: with what to do."""
        if not self.is_whole():
            self._create(project)
        stamps = project.stamps()
        kept = {name: digest for name, digest in self._read_stamp().items() if name not in groups}
        self._write_stamp(kept)  # until the last line of this function, the environment counts as unfinished
        requirements = [requirement for group in groups for requirement in project.groups[group]]
        _say(f"installing {len(requirements)} packages and what they need into {self.directory} ...")
        # PYTHONHOME and a user-wide `pip install --user` setting would make pip install outside the environment.
        variables = without_secrets() | {"PIP_USER": "0"}
        variables.pop("PYTHONHOME", None)
        if not self._install(requirements, _fitting(project, groups, checkout), groups, variables):
            raise BootstrapError(
                "pip could not install the packages; its own message is above. Check the network, "
                "a proxy (HTTPS_PROXY) or index (PIP_INDEX_URL) that you may need, and the free disk space (6 GB), "
                "then run the same command again: it goes on where it stopped."
            )
        self._write_stamp(kept | {group: stamps[group] for group in groups})
        _say("the environment is ready.")

    def _install(
        self, requirements: list[str], lock: Lock | None, groups: list[str], variables: dict[str, str]
    ) -> bool:
        """Run pip. Returns: whether it succeeded."""
        pip = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check"]
        if lock is None:
            return _runs([*pip, *requirements], variables)
        with tempfile.TemporaryDirectory() as folder:
            pinned = Path(folder) / "requirements.txt"
            pinned.write_text("\n".join(lock.sections.get(group, "") for group in groups), encoding="utf-8")
            locked = [*pip, "--require-hashes", "--no-deps", "--requirement", str(pinned)]
            return _runs(locked, variables) and (not lock.unhashed or _runs([*pip, *lock.unhashed], variables))

    def _create(self, project: Project) -> None:
        version = sys.version_info[:2]
        if not project.accepts(version):
            wanted = f"Python {project.requires_python} is needed and this is {version[0]}.{version[1]}."
            raise BootstrapError(f"{wanted} {_other_pythons(project)}")
        _say(f"making a virtual environment in {self.directory} ...")
        code = subprocess.run(
            [_base_python(), "-m", "venv", "--clear", self.directory],
            stdout=sys.stderr,
            env=without_secrets(),
            check=False,
        ).returncode
        if code != 0 or not self.is_whole():
            raise BootstrapError(
                f"{_base_python()} could not make a virtual environment; its own message is above. On Debian and "
                f"Ubuntu, install it first: apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
            )

    def is_whole(self) -> bool:
        """Return whether the environment's Python runs, has pip, and runs inside the environment.

        A Python that runs in the system instead would make pip install there.
        """
        if not self.python.exists():
            return False
        command = [str(self.python), "-c", "import pip, sys; print(sys.prefix)"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.returncode == 0 and Path(result.stdout.strip()).resolve() == self.directory.resolve()

    def _read_stamp(self) -> dict[str, str]:
        try:
            values = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}

    def _write_stamp(self, groups: dict[str, str]) -> None:
        unfinished = self.stamp.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(groups), encoding="utf-8")
        unfinished.replace(self.stamp)


def ensure_environment(*, testing: bool, checkout: Path = CHECKOUT) -> None:
    """Return in an interpreter that has what pyproject.toml requires, or end this process with a clear message.

    If this interpreter is not `.venv`'s and lacks a package, make or update `.venv` and replace the process by the same
    command under `.venv`'s Python.

    Args: testing: the development group is needed too.
    """
    if os.environ.get(_OPT_OUT, "") not in ("", "0"):
        return
    environment = Environment(directory=checkout / ".venv")
    try:
        project = Project.read(checkout / "pyproject.toml", testing=testing)
        inside = environment.is_running_us()
        if not inside and _all_importable(project):
            return
        if environment.missing(project):
            _install(environment, project, checkout)
        elif inside:
            return
        _move_into(environment)
    except BootstrapError as error:
        sys.exit(f"glassbox: {error}")
    except OSError as error:
        sys.exit(f"glassbox: {environment.directory} can't be made or used: {error}")
    except KeyboardInterrupt:
        _say("interrupted. The next start goes on where this one stopped.")
        sys.exit(130)


def _install(environment: Environment, project: Project, checkout: Path) -> None:
    with _installation_lock(checkout):
        groups = environment.missing(project)  # another command may have done it while we waited
        if groups:
            environment.install(project, groups, checkout=checkout)


def _move_into(environment: Environment) -> NoReturn:
    """Replace this process by the same command under the environment's Python, including the interpreter's flags."""
    if os.environ.get(_MOVED) == str(os.getpid()) and not environment.is_running_us():
        raise BootstrapError(f"{environment.python} does not run in {environment.directory}. Remove that folder.")
    sys.stdout.flush()
    sys.stderr.flush()
    # The process id survives exec, so a Python that leads elsewhere is not entered again and again.
    variables = os.environ | {_MOVED: str(os.getpid())}
    command = [str(environment.python), *sys.orig_argv[1:]]
    os.execve(environment.python, command, variables)  # noqa: S606 (our own command again, without a shell)


@contextmanager
def _installation_lock(checkout: Path) -> Iterator[None]:
    """Allow one installation at a time. The lock is on pyproject.toml, which exists before anything else."""
    with (checkout / "pyproject.toml").open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another command is installing the packages; waiting for it ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _all_importable(project: Project) -> bool:
    """Return whether this interpreter has every package already: it is the user's own environment and is left alone."""
    for requirement in (requirement for group in project.groups.values() for requirement in group):
        name = re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            return False
    return True


def _fitting(project: Project, groups: list[str], checkout: Path) -> Lock | None:
    """Return the lock file if it fits this machine; otherwise print why it does not."""
    lock = Lock.read(checkout / LOCK.name)
    obstacle = "there is none" if lock is None else lock.obstacle(project, groups)
    if obstacle:
        _say(f"{LOCK.name} is not used: {obstacle}. The newest releases that pyproject.toml allows are installed.")
        return None
    _say(f"as {LOCK.name} has them, by digest.")
    return lock


def _runs(command: list[str], variables: dict[str, str]) -> bool:
    return subprocess.run(command, stdout=sys.stderr, env=variables, check=False).returncode == 0


def _base_python() -> str:
    """Return the interpreter behind ours: an environment made from one that is being replaced would break."""
    return str(getattr(sys, "_base_executable", sys.executable))


def _other_pythons(project: Project) -> str:
    found = [
        f"python3.{minor}"
        for minor in range(30, 10, -1)
        if project.accepts((3, minor)) and shutil.which(f"python3.{minor}")
    ]
    if found:
        return f"Run it with {found[0]}: {found[0]} {' '.join(sys.argv)}"
    return "Install such a Python and run the command with it."


def without_secrets() -> dict[str, str]:
    """Return the environment variables without secrets, for programs that install and thereby run others' code."""
    from config.needs import child_environment

    return child_environment(None)


def _say(text: str) -> None:
    print(f"glassbox: {text}", file=sys.stderr, flush=True)
