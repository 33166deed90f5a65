"""The handbook builds without a broken link, is the one that is served, and asks nobody else for anything."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from config.env import CHECKOUT
from config.help import building
from config.help.building import SITE, build, is_current

_LOADED: Final = re.compile(
    r"<(?:script|img|source|iframe|video|audio|embed)\b[^>]*\bsrc=\"?([^\"\s>]+)|<link\b[^>]*\bhref=\"?([^\"\s>]+)"
)
_IN_STYLES: Final = re.compile(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)")
_INLINE_SCRIPT: Final = re.compile(r"<script(?![^>]*\b(?:src|type=\"?application/json))[^>]*>", re.IGNORECASE)
_INLINE_STYLE: Final = re.compile(r"<style\b|<[^>]*\sstyle=|<[^>]*\son[a-z]+=", re.IGNORECASE)
# The top of the repository, beside dotfiles; gunicorn finds its settings here and nowhere else.
_TOP: Final = {
    *("manage.py", "pyproject.toml", "requirements.lock", "gunicorn.conf.py"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"),
    *("apps", "config", "docs", "static", "templates", "tests"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target: Path = tmp_path_factory.mktemp("handbook") / "site"
    assert build(target) == 0
    return target


def _html(site: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(site.rglob("*.html")):
        yield str(path.relative_to(site)), path.read_text(encoding="utf-8")


def test_it_builds_with_every_page(built: Path) -> None:
    """As `--strict` has it: a link that leads nowhere, or a page that is in no menu, ends the build."""
    sources = {path.relative_to(CHECKOUT / "docs").with_suffix("") for path in (CHECKOUT / "docs").rglob("*.md")}
    pages = {"index" if name == "index.html" else name.removesuffix("/index.html") for name, _ in _html(built)}
    assert pages == {str(source) for source in sources}


def test_what_is_served_is_built_of_these_sources(built: Path) -> None:
    assert is_current(), "docs/ has changed: run manage.py docs, and commit what it wrote"
    assert {name for name, _ in _html(built)} == {name for name, _ in _html(SITE)}


def test_a_change_of_a_page_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("one", encoding="utf-8")
    monkeypatch.setattr(building, "_sources", lambda: [page])
    monkeypatch.setattr(building, "CHECKOUT", tmp_path)
    before = building.digest_of_sources()
    page.write_text("two", encoding="utf-8")
    assert building.digest_of_sources() != before


def test_a_broken_link_ends_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "mkdocs.yml"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n[There](nowhere.md)\n", encoding="utf-8")
    config.write_text("site_name: A handbook\ntheme: {name: material, font: false}\n", encoding="utf-8")
    monkeypatch.setattr(building, "_CONFIG", config)
    assert build(tmp_path / "site") != 0


def test_no_page_loads_anything_from_elsewhere() -> None:
    found = 0
    for name, text in _html(SITE):
        for match in _LOADED.finditer(text):
            address = next(filter(None, match.groups()))
            found += 1
            assert not re.match(r"(?:[a-z]+:)?//", address), f"{name} loads {address}"
    assert found > 50
    for path in SITE.rglob("*.css"):
        for match in _IN_STYLES.finditer(path.read_text(encoding="utf-8")):
            address = next(filter(None, match.groups()))
            assert not re.match(r"(?:https?:)?//", address), f"{path.name} loads {address}"


def test_what_a_page_loads_is_there() -> None:
    for name, text in _html(SITE):
        for match in _LOADED.finditer(text):
            address = next(filter(None, match.groups())).partition("?")[0]
            file = (SITE / name).parent / address
            served = file.resolve()
            in_docs = CHECKOUT / "docs" / served.relative_to(SITE) if served.is_relative_to(SITE) else served
            assert served.is_file() or in_docs.is_file() or served.is_dir(), f"{name} loads {address}"


def test_no_page_holds_a_program_or_a_style() -> None:
    """The product's Content-Security-Policy would let none of them run."""
    for name, text in _html(SITE):
        assert not _INLINE_SCRIPT.search(text), name
        text_of_pages = re.sub(r"<pre>.*?</pre>|<code>.*?</code>", "", text, flags=re.DOTALL)
        assert not _INLINE_STYLE.search(text_of_pages), name


def test_the_top_of_the_repository_is_what_it_should_be() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    top = {line.partition("/")[0] for line in listed.splitlines()}
    assert {name for name in top if not name.startswith(".")} == _TOP


def test_the_readme_is_a_page_of_ten_minutes() -> None:
    assert len((CHECKOUT / "README.md").read_text(encoding="utf-8").split()) < 1_000
