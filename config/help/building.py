"""`manage.py docs`: build the handbook from `docs/` into `config/help/site/`, which is kept in the repository.

A clone can serve its handbook at once, without a package, a network or a deployment step. After a change of `docs/`,
run this command and commit its output; a test checks that this was done.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from config.bootstrap import without_secrets
from config.env import CHECKOUT

DOCS: Final = CHECKOUT / "docs"
HERE: Final = Path(__file__).resolve().parent
SITE: Final = HERE / "site"
# Records which sources a built site was made from.
STAMP: Final = "built.json"
_CONFIG: Final = HERE / "mkdocs.yml"
# Parts of the theme that this site does not use: the search in other languages, and files for search engines.
_UNUSED: Final = ("assets/javascripts/lunr", "sitemap.xml", "sitemap.xml.gz", "404.html", "images")
_INLINE: Final = re.compile(r"<script>(?P<program>.+?)</script>", re.DOTALL)
_MAP: Final = re.compile(r"\n?(//# sourceMappingURL=\S+|/\*# sourceMappingURL=\S+ \*/)\s*$")


def run(arguments: Sequence[str]) -> int:
    """Run the command. Returns: its exit status."""
    parser = argparse.ArgumentParser(
        prog="manage.py docs",
        description="Build the handbook from docs/ into config/help/site/. A broken link ends the build.",
        epilog="Example: python3 manage.py docs && git add docs config/help/site",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing: whether the built handbook is that of docs/"
    )
    if parser.parse_args(arguments).check:
        current = is_current()
        print("The built handbook is that of docs/." if current else "docs/ has changed: run manage.py docs.")
        return 0 if current else 1
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "site"
        if (code := build(built)) != 0:
            return code
        shutil.rmtree(SITE, ignore_errors=True)
        shutil.copytree(built, SITE)
    pages = sum(1 for _ in SITE.rglob("*.html"))
    print(f"{pages} pages in {SITE.relative_to(CHECKOUT)}. Help in the admin shows them.")
    return 0


def build(target: Path) -> int:
    """Build the site into a folder that must not exist yet. Returns: mkdocs' exit status; mkdocs prints its errors."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", f"--config-file={_CONFIG}"]
    # Silence the theme's announcement of its next version. Do not use --quiet, which would hide warnings from
    # `--strict`.
    surroundings = without_secrets() | {"NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(
        [*command, f"--site-dir={target}"], cwd=CHECKOUT, env=surroundings, capture_output=True, text=True
    )
    code = ran.returncode
    if code != 0:
        print(ran.stdout + ran.stderr, file=sys.stderr)
    else:
        _trim(target)
        for page in sorted(target.rglob("*.html")):
            _move_programs_out(page, target)
        (target / STAMP).write_text(json.dumps({"sources": digest_of_sources()}) + "\n", encoding="utf-8")
    return code


def is_current() -> bool:
    """Return whether the built site was made from the present sources."""
    try:
        stamp = json.loads((SITE / STAMP).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    return bool(stamp == {"sources": digest_of_sources()})


def digest_of_sources() -> str:
    """Return the SHA-256 over names and contents of the site's sources. Pictures are served from docs/ itself."""
    digest = hashlib.sha256()
    for path in _sources():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(CHECKOUT)} {content}\n".encode())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    yield _CONFIG
    yield from sorted(path for path in (HERE / "theme").rglob("*") if path.is_file())
    yield from sorted(path for path in DOCS.rglob("*") if path.suffix in (".md", ".css"))


def _trim(site: Path) -> None:
    for name in _UNUSED:
        path = site / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in site.rglob("*.map"):
        path.unlink()
    for path in [*site.rglob("*.js"), *site.rglob("*.css")]:
        path.write_text(_MAP.sub("\n", path.read_text(encoding="utf-8")), encoding="utf-8")


def _move_programs_out(page: Path, site: Path) -> None:
    """Move each inline script of a page into a file, because the Content-Security-Policy lets no inline script run."""
    depth = len(page.relative_to(site).parts) - 1

    def moved(match: re.Match[str]) -> str:
        program = match["program"].strip() + "\n"
        name = f"assets/javascripts/inline.{hashlib.sha256(program.encode()).hexdigest()[:8]}.js"
        (site / name).write_text(program, encoding="utf-8")
        return f'<script src="{"../" * depth}{name}"></script>'

    text = _INLINE.sub(moved, page.read_text(encoding="utf-8"))
    page.write_text("\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n", encoding="utf-8")
