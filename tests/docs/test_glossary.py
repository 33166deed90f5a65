"""The glossary's words are the product's: no page, help text, error or description calls a thing otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest

from config.env import CHECKOUT
from tests.docs.pages import DOCS, pages, relative

APPS: Final = CHECKOUT / "apps"
_MOST_TERMS: Final = 60
_ROW: Final = re.compile(
    r"^\| \*\*(?P<term>[^*]+)\*\* \|(?P<officer>[^|]+)\|(?P<engineer>[^|]+)\|(?P<avoid>[^|]+)\|$", re.M
)
# What stands in a template and nobody reads: what the template engine does, and tags but for the words in them.
_ENGINE: Final = re.compile(r"{#.*?#}|{%\s*comment.*?endcomment\s*%}|{%.*?%}|{{.*?}}", re.DOTALL)
_SPOKEN: Final = re.compile(r'\b(?:title|alt|aria-label|placeholder|value|label)="([^"]*)"')
_TAG: Final = re.compile(r"<[^>]*>", re.DOTALL)
# Of a script: what it shows, between quotes of any kind.
_QUOTED: Final = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`]*)`")
# Not what the product says: documents and questions of the demo, what a question holds that tries to instruct, and the
# words of other people's reports.
_NOT_OURS: Final = (
    *("demo/documents", "demo/questions", "migrations", "apps/intents/instructions.py"),
    *("apps/retrieval/stages/grounding/words", "apps/retrieval/stages/grounding/grammar"),
)
# Of a Markdown page: what is code, and names things as the code does.
_CODE: Final = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def terms() -> dict[str, tuple[str, ...]]:
    """The words to avoid, by term."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    return {row["term"]: tuple(each.strip() for each in row["avoid"].split(";")) for row in _ROW.finditer(text)}


def _pattern(avoided: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in avoided)
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


@cache
def said() -> tuple[tuple[str, str], ...]:
    """Where, and the words: all that the product says to anybody."""
    return (*_templates(), *_scripts(), *_strings(), *_handbooks())


def _templates() -> Iterator[tuple[str, str]]:
    for path in sorted((CHECKOUT / "templates").rglob("*.html")):
        text = _ENGINE.sub(" ", path.read_text(encoding="utf-8"))
        for spoken in _SPOKEN.findall(text):
            yield relative(path), spoken
        yield relative(path), _TAG.sub(" ", text)


def _scripts() -> Iterator[tuple[str, str]]:
    for path in sorted((CHECKOUT / "static" / "glassbox").glob("*.js")):
        for quoted in _QUOTED.findall(path.read_text(encoding="utf-8")):
            yield relative(path), "".join(quoted)


def _strings() -> Iterator[tuple[str, str]]:
    """Sentences and labels in the code; neither docstrings nor what has no blank, which nobody reads as words."""
    for path in sorted([*(CHECKOUT / "apps").rglob("*.py"), *(CHECKOUT / "config").rglob("*.py")]):
        name = relative(path)
        if any(part in name for part in _NOT_OURS):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        unsaid = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in unsaid:
                yield f"{name}:{node.lineno}", node.value


def _handbooks() -> Iterator[tuple[str, str]]:
    """The handbook, the READMEs of the rooms and what a contributor reads; not the glossary, which lists the words."""
    beside = {f"apps/{path.relative_to(APPS)}": path.read_text(encoding="utf-8") for path in APPS.rglob("README.md")}
    for page, text in {**pages(), **beside}.items():
        if page != "docs/glossary.md":
            yield page, _CODE.sub(" ", text)


def _found(avoided: tuple[str, ...]) -> list[str]:
    pattern = _pattern(avoided)
    return [f"{where}: {match[0]}" for where, words in said() for match in pattern.finditer(words)]


@pytest.mark.parametrize("term", sorted(terms()))
def test_what_the_product_says_uses_the_term(term: str) -> None:
    assert _found(terms()[term]) == []


def test_each_word_to_avoid_is_of_one_term_and_is_no_term() -> None:
    avoided = [word.lower() for words in terms().values() for word in words]
    assert len(avoided) == len(set(avoided))
    assert set(avoided) & set(terms()) == set()
    assert all(avoided)


def test_the_glossary_is_short_and_in_order() -> None:
    names = list(terms())
    assert 40 <= len(names) <= _MOST_TERMS
    assert names == sorted(names, key=lambda name: name.lower().replace("-", " "))
    rows = [line for line in (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines() if line.startswith("| **")]
    assert len(rows) == len(names), "a row is not read"


@pytest.mark.parametrize(
    ("avoided", "words", "is_found"),
    [
        ("golden example", "Nearest Golden\n examples", False),
        ("golden example", "A golden\n  example is", True),
        ("mail address", "the e-mail address", False),
        ("no room", "There is no room left", True),
        ("no room", "a piano roommate", False),
    ],
)
def test_a_word_is_found_as_a_word(avoided: str, words: str, is_found: bool) -> None:
    assert bool(_pattern((avoided,)).search(words)) is is_found


def test_pages_and_sentences_are_read() -> None:
    """The scan would be silent if it read nothing."""
    places = {where.partition(":")[0] for where, _ in said()}
    assert {"templates/glassbox/draft.html", "static/glassbox/draft.js", "apps/intents/errors.py"} <= places
    assert {"docs/architecture.md", "CONTRIBUTING.md", "apps/intents/README.md"} <= places
    words = " ".join(words for _, words in said())
    for sentence in ("Context budget", "Take in a request", "Review example of", "review examples get their intent"):
        assert re.search(sentence, words), sentence
