"""The lock file: of this pyproject.toml, by digest, and without the name of any host."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from config.bootstrap import CHECKOUT
from config.locking import PYTHONS
from config.requirements import LOCK, UNHASHED, Lock, Project

_TEXT = LOCK.read_text(encoding="utf-8")
_PROJECT = Project.read(CHECKOUT / "pyproject.toml", testing=True)
_ENTRY = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; (?P<marker>[^\\]+?))? \\$")


def _pins(python: str) -> dict[str, str]:
    """What it pins for a Python, by name."""
    lock = Lock.read(LOCK)
    assert lock is not None
    found = dict(each.split("==") for each in lock.unhashed)
    for line in "".join(lock.sections.values()).splitlines():
        if entry := _ENTRY.match(line):
            marker = Requirement(line.rstrip(" \\")).marker
            if marker is None or marker.evaluate({"python_version": python}):
                assert entry["name"] not in found, f"{entry['name']} is pinned twice"
                found[entry["name"]] = entry["version"]
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_it_pins_everything_that_pyproject_asks_for_within_its_bounds(python: str) -> None:
    pins = _pins(python)
    for text in (each for group in _PROJECT.groups.values() for each in group):
        requirement = Requirement(text)
        version = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), f"{requirement} is not satisfied by {version}"


def test_it_is_of_this_pyproject() -> None:
    lock = Lock.read(LOCK)
    assert lock is not None
    assert lock.stamps == _PROJECT.stamps(), "make it anew: python -m config.locking"
    assert all(_PROJECT.accepts((int(each.split(".")[0]), int(each.split(".")[1]))) for each in lock.pythons)


def test_it_names_no_host_and_no_path() -> None:
    """Lines of three kinds, and nothing else that could name one."""
    for line in _TEXT.splitlines():
        is_digest = re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line)
        assert not line or line.startswith("# ") or _ENTRY.match(line) or is_digest, line
    assert not re.search(r"://|--(?:extra-)?index|--find-links| @ |/\w|\b\w+\.(?:org|com|io|net|dev)\b", _TEXT)


def test_every_entry_has_a_digest_and_torch_alone_has_none() -> None:
    entries = [line for line in _TEXT.splitlines() if _ENTRY.match(line)]
    assert len(entries) > 50
    for entry in entries:
        following = _TEXT[_TEXT.index(entry) + len(entry) :].lstrip("\n").splitlines()[0]
        assert "--hash=sha256:" in following, entry
    assert not any(entry.startswith(f"{UNHASHED}==") for entry in entries)
    lock = Lock.read(LOCK)
    assert lock is not None
    assert [each.split("==")[0] for each in lock.unhashed] == [UNHASHED]
