"""`requirements.lock`: the exact packages that this release was made with, and their digests.

    python -m config.locking    # make it again from the configured index, after a change of pyproject.toml

The lock file names no index and no path. This module uses only the standard library and pip, because pip's environment
is made with it before anything is installed. Torch has no digest: each index builds its own files (for processors only,
or for a graphics card), so only its release is pinned.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from config.bootstrap import CHECKOUT, without_secrets
from config.requirements import LOCK, UNHASHED, BootstrapError, Lock, Project

PYTHONS: Final = ("3.11", "3.12", "3.13")
# Packages that a build of torch for graphics cards requires: they come with it, or not at all.
_WITH_TORCH: Final = re.compile(r"nvidia-.*|cuda-.*|triton")


@dataclass(frozen=True, slots=True)
class _Pin:
    version: str
    digest: str


def main() -> None:
    project = Project.read(CHECKOUT / "pyproject.toml", testing=True)
    if f"{sys.platform} {platform.machine()}" != Lock.PLATFORM:
        raise BootstrapError(f"The lock is made on {Lock.PLATFORM}.")
    found = {python: _resolved(project, python) for python in PYTHONS}
    runtime = {name for python, report in found.items() for name in _closure(report, project.groups["runtime"], python)}
    pins = {python: {_name(each): _pin(each) for each in report} for python, report in found.items()}
    LOCK.write_text(_text(project, pins, runtime), encoding="utf-8")
    print(f"{LOCK.name}: {len({name for each in pins.values() for name in each})} packages")


def _resolved(project: Project, python: str) -> list[dict[str, Any]]:
    """Return what pip would install into an empty environment of that Python."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, report = Path(folder, "wanted.txt"), Path(folder, "report.json")
        wanted.write_text("\n".join(each for group in project.groups.values() for each in group), encoding="utf-8")
        command = [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"),
            *("--ignore-installed", "--only-binary=:all:", f"--python-version={python}", f"--target={folder}/none"),
            *(f"--report={report}", f"--requirement={wanted}"),
        ]
        subprocess.run(command, env=without_secrets(), check=True)
        installed: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
        return installed


def _closure(report: Sequence[Mapping[str, Any]], wanted: Sequence[str], python: str) -> set[str]:
    """Return the names of everything that a list requires, directly or indirectly."""
    from pip._vendor.packaging.requirements import Requirement

    needs = {_name(each): each["metadata"].get("requires_dist", []) for each in report}
    surroundings = {"python_version": python, "python_full_version": f"{python}.0"}
    todo, seen = [Requirement(each) for each in wanted], set[tuple[str, str]]()
    while todo:
        requirement = todo.pop()
        name = normalised(requirement.name)
        for extra in ("", *requirement.extras):
            if (name, extra) in seen or name not in needs:
                continue
            seen.add((name, extra))
            for text in needs[name]:
                further = Requirement(text)
                if further.marker is None or further.marker.evaluate({**surroundings, "extra": extra}):
                    todo.append(further)
    return {name for name, _ in seen}


def _text(project: Project, pins: Mapping[str, Mapping[str, _Pin]], runtime: set[str]) -> str:
    every = {name for each in pins.values() for name in each} - {UNHASHED}
    names = sorted(name for name in every if not _WITH_TORCH.fullmatch(name))
    stamps = project.stamps()
    unhashed = sorted({f"{UNHASHED}=={each[UNHASHED].version}" for each in pins.values() if UNHASHED in each})
    lines = [
        "# What this release was made with, by digest. Made by: python -m config.locking",
        f"# platform: {Lock.PLATFORM}",
        f"# pythons: {' '.join(PYTHONS)}",
        *(f"# {group}: {stamps[group]}" for group in sorted(stamps)),
        f"# unhashed: {' '.join(unhashed)}",
    ]
    served = [name for name in names if name in runtime]
    for title, group in (("runtime", served), ("dev", [name for name in names if name not in runtime])):
        lines += ["", f"# --- {title} ---", *(line for name in group for line in _pinned(name, pins))]
    return "\n".join(lines) + "\n"


def _pinned(name: str, pins: Mapping[str, Mapping[str, _Pin]]) -> list[str]:
    """Return one entry if every Python gets the same release, else one entry for each Python."""
    by_version: dict[str, dict[str, str]] = {}
    for python, found in pins.items():
        if name in found:
            by_version.setdefault(found[name].version, {})[python] = found[name].digest
    lines = []
    for version, digests in by_version.items():
        some = " or ".join(f'python_version == "{python}"' for python in digests)
        marker = "" if len(digests) == len(PYTHONS) else f" ; {some}"
        hashes = sorted(set(digests.values()))
        lines.append(f"{name}=={version}{marker} " + " ".join(f"\\\n    --hash=sha256:{each}" for each in hashes))
    return lines


def _name(each: Mapping[str, Any]) -> str:
    return normalised(each["metadata"]["name"])


def _pin(each: Mapping[str, Any]) -> _Pin:
    # Drop the suffix that an index adds to a version, such as +cpu.
    version = each["metadata"]["version"].partition("+")[0]
    digest = each["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256", "")
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise BootstrapError(f"The index gives no digest of {_name(each)}.")
    return _Pin(version=version, digest=digest)


def normalised(name: str) -> str:
    """Return the name as PEP 503 normalises it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
