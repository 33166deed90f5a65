"""A bare Python becomes a prepared one: in a checkout of its own, with a one-file package that needs no network."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from config import env
from config.bootstrap import Environment
from config.requirements import Project

BARE_PYTHON = str(getattr(sys, "_base_executable", sys.executable))
MANAGE = """
import json, sys
from config.bootstrap import ensure_environment
ensure_environment(testing=sys.argv[1:2] == ["test"])
import glassbox_sample
print(json.dumps({"prefix": sys.prefix, "version": glassbox_sample.VERSION, "arguments": sys.argv[1:]}))
"""


class Checkout:
    """A project that needs nothing but `glassbox_sample`, whose wheels are made on the spot."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "config").mkdir(parents=True)
        (root / "config" / "__init__.py").touch()
        for name in ("bootstrap.py", "needs.py", "requirements.py"):
            shutil.copy(env.CHECKOUT / "config" / name, root / "config")
        (root / "manage.py").write_text(MANAGE)
        self.need("1.0")

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def stamp(self) -> Path:
        return self.venv / "glassbox-installed.json"

    def need(self, version: str, *, python: str = ">=3.11", dev: str = "1.0") -> None:
        (self.root / "pyproject.toml").write_text(
            f'[project]\nrequires-python = "{python}"\n'
            f'dependencies = ["glassbox-sample @ {self._wheel("glassbox_sample", version).as_uri()}"]\n'
            f'[project.optional-dependencies]\ndev = ["glassbox-dev @ {self._wheel("glassbox_dev", dev).as_uri()}"]\n'
        )

    def run(self, *arguments: str, python: str = BARE_PYTHON, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "manage.py", *arguments],
            cwd=self.root,
            env=self.variables(**variables),
            capture_output=True,
            text=True,
            timeout=600,
        )

    def variables(self, **variables: str) -> dict[str, str]:
        ours = ("GLASSBOX_", "PYTHON", "COVERAGE", "PYTEST")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return kept | {"PIP_NO_INDEX": "1"} | variables

    def _wheel(self, name: str, version: str) -> Path:
        path = self.root / f"{name}-{version}-py3-none-any.whl"
        folder = f"{name}-{version}.dist-info"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(f"{name}.py", f"VERSION = {version!r}\n")
            wheel.writestr(f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            wheel.writestr(f"{folder}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{folder}/RECORD", "")
        return path


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout after its first command, run by a bare Python over an environment whose own Python is gone."""
    checkout = Checkout(tmp_path_factory.mktemp("prepared") / "checkout")
    (checkout.venv / "bin").mkdir(parents=True)
    (checkout.venv / "bin" / "python").symlink_to("/nowhere/python3")
    result = checkout.run("demo")
    assert result.returncode == 0, result.stderr
    return checkout


@pytest.fixture
def bare(tmp_path: Path) -> Checkout:
    """A checkout without a virtual environment."""
    return Checkout(tmp_path / "checkout")


@pytest.fixture
def checkout(bare: Checkout, prepared: Checkout) -> Checkout:
    """A checkout with its virtual environment, a copy of one that a bare Python made."""
    subprocess.run(["cp", "-a", prepared.venv, bare.venv], check=True)
    shutil.copy(prepared.root / "pyproject.toml", bare.root)
    return bare


def test_a_bare_python_ends_up_in_the_new_environment(prepared: Checkout) -> None:
    told = json.loads(prepared.run("demo", "--json").stdout)
    assert told == {"prefix": str(prepared.venv), "version": "1.0", "arguments": ["demo", "--json"]}


@pytest.mark.slow
def test_nothing_but_the_commands_own_output_goes_to_stdout(checkout: Checkout) -> None:
    checkout.need("2.0")
    assert json.loads(checkout.run("demo").stdout)["version"] == "2.0"


def test_aprepared_environment_is_left_as_it_is(checkout: Checkout) -> None:
    before = checkout.stamp.stat().st_mtime_ns
    checkout.run("demo")
    assert checkout.stamp.stat().st_mtime_ns == before


@pytest.mark.slow
def test_its_own_python_follows_a_changed_list_too(checkout: Checkout) -> None:
    checkout.need("2.0")
    told = json.loads(checkout.run("demo", python=str(checkout.venv / "bin" / "python")).stdout)
    assert told["version"] == "2.0"


@pytest.mark.slow
def test_the_development_packages_come_with_the_tests(checkout: Checkout) -> None:
    checkout.run("test")
    assert set(json.loads(checkout.stamp.read_text())) == {"runtime", "dev"}


@pytest.mark.slow
def test_they_stay_known_when_the_runtime_list_changes(checkout: Checkout) -> None:
    checkout.run("test")
    checkout.need("2.0")
    checkout.run("demo")
    assert set(json.loads(checkout.stamp.read_text())) == {"runtime", "dev"}


@pytest.mark.slow
def test_a_failed_installation_says_what_to_do(checkout: Checkout) -> None:
    path = checkout.root / "pyproject.toml"
    path.write_text(path.read_text().replace("glassbox-sample @", "glassbox-nowhere @").replace("1.0-py3", "9.9-py3"))
    result = checkout.run("demo")
    assert result.returncode == 1
    assert "then run the same command again" in result.stderr


@pytest.mark.slow
def test_a_failed_installation_does_not_count_as_done(checkout: Checkout) -> None:
    path = checkout.root / "pyproject.toml"
    before = path.read_text()
    path.write_text(before.replace("1.0-py3", "9.9-py3"))
    checkout.run("demo")
    assert json.loads(checkout.stamp.read_text()) == {}


def test_an_environment_is_whole(checkout: Checkout) -> None:
    assert Environment(directory=checkout.venv).is_whole()


def test_an_environment_without_pip_is_not_whole(checkout: Checkout) -> None:
    for folder in (checkout.venv / "lib").glob("python*/site-packages/pip"):
        shutil.rmtree(folder)
    assert not Environment(directory=checkout.venv).is_whole()


def test_an_environment_whose_python_would_install_into_the_system_is_not_whole(checkout: Checkout) -> None:
    (checkout.venv / "pyvenv.cfg").unlink()
    assert not Environment(directory=checkout.venv).is_whole()


@pytest.mark.slow
def test_commands_at_once_install_once(checkout: Checkout) -> None:
    checkout.need("2.0")
    processes = [
        subprocess.Popen(
            [BARE_PYTHON, "manage.py", "demo"],
            cwd=checkout.root,
            env=checkout.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=600) for process in processes]
    assert [json.loads(output)["version"] for output, _ in outputs] == ["2.0"] * 3
    assert sum("installing" in errors and "ready" in errors for _, errors in outputs) == 1


@pytest.mark.slow
def test_an_interrupted_installation_is_taken_up_again(checkout: Checkout) -> None:
    checkout.need("2.0")
    process = subprocess.Popen(
        [BARE_PYTHON, "manage.py", "demo"],
        cwd=checkout.root,
        env=checkout.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while json.loads(checkout.stamp.read_text()):  # emptied when the installation begins
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert json.loads(checkout.run("demo").stdout)["version"] == "2.0"


def test_a_container_can_switch_it_off(bare: Checkout) -> None:
    result = bare.run("demo", GLASSBOX_NO_BOOTSTRAP="1")
    assert "No module named 'glassbox_sample'" in result.stderr
    assert not bare.venv.exists()


def test_a_python_that_has_everything_is_left_alone(bare: Checkout) -> None:
    with zipfile.ZipFile(bare.root / "glassbox_sample-1.0-py3-none-any.whl") as wheel:
        wheel.extractall(bare.root / "installed")
    result = bare.run("demo", PYTHONPATH=str(bare.root / "installed"))
    assert json.loads(result.stdout)["version"] == "1.0"
    assert not bare.venv.exists()


def test_an_unsuitable_python_is_told_which_is_wanted(bare: Checkout) -> None:
    bare.need("1.0", python=">=3.11,<3.11")
    result = bare.run("demo")
    assert result.returncode == 1
    assert "Python >=3.11,<3.11 is needed" in result.stderr


def test_a_missing_venv_module_names_the_package_to_install(bare: Checkout) -> None:
    (bare.root / "venv.py").write_text("raise SystemExit('no ensurepip here')")
    assert "-venv" in bare.run("demo", PYTHONPATH=str(bare.root)).stderr


def test_a_broken_list_is_named(bare: Checkout) -> None:
    (bare.root / "pyproject.toml").write_text("[project")
    assert "pyproject.toml can't be read" in bare.run("demo").stderr


@pytest.mark.parametrize(
    ("version", "accepted"), [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False)]
)
def test_the_range_of_pythons(version: tuple[int, int], accepted: bool) -> None:
    assert Project(requires_python=">=3.11,<3.14", groups={}).accepts(version) is accepted


def test_the_real_list_can_be_read() -> None:
    project = Project.read(env.CHECKOUT / "pyproject.toml", testing=True)
    assert set(project.groups) == {"runtime", "dev"}


# --- the lock file ---


def lock(checkout: Checkout, *, digest: str = "", platform: str = "", stamp: str = "") -> None:
    """One that pins the sample, beside the wheel that the checkout needs."""
    wheel = checkout.root / "glassbox_sample-1.0-py3-none-any.whl"
    own = Project.read(checkout.root / "pyproject.toml", testing=False).stamps()["runtime"]
    (checkout.root / "requirements.lock").write_text(
        f"# platform: {platform or f'{sys.platform} {os.uname().machine}'}\n"
        f"# pythons: {sys.version_info[0]}.{sys.version_info[1]}\n# runtime: {stamp or own}\n\n# --- runtime ---\n"
        f"glassbox-sample==1.0 \\\n    --hash=sha256:{digest or hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
    )


@pytest.mark.slow
def test_the_lock_is_used_where_it_fits(bare: Checkout) -> None:
    lock(bare)
    result = bare.run("demo", PIP_FIND_LINKS=str(bare.root))
    assert result.returncode == 0, result.stderr
    assert "as requirements.lock has them, by digest" in result.stderr
    assert json.loads(result.stdout)["version"] == "1.0"


@pytest.mark.slow
def test_a_package_of_another_digest_is_not_installed(bare: Checkout) -> None:
    lock(bare, digest="0" * 64)
    result = bare.run("demo", PIP_FIND_LINKS=str(bare.root))
    assert (result.returncode, result.stdout) == (1, "")
    assert "DO NOT MATCH THE HASHES" in result.stderr
    assert bare.stamp.read_text() == "{}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({"platform": "plan9 mips"}, "it is for plan9 mips, and this is"),
        ({"stamp": "0"}, "it is of another pyproject.toml"),
    ],
)
def test_where_the_lock_does_not_fit_that_is_said(bare: Checkout, made: dict[str, str], said: str) -> None:
    lock(bare, **made)
    result = bare.run("demo")
    assert result.returncode == 0, result.stderr
    assert f"requirements.lock is not used: {said}" in " ".join(result.stderr.split())
