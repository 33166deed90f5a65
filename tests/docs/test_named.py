"""What the pages name is there: commands with their flags, settings, addresses of the API, files and code."""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, resolve

from apps.intents.fund_house import FUND_HOUSE
from apps.tenants.roles import Role
from config.bootstrap import CHECKOUT
from config.needs import SECRETS
from config.serving import SERVED
from tests.api.client import openapi
from tests.docs.pages import Block, blocks, inline_code, pages

_COMMAND: Final = re.compile(r"(?:python3? )?manage\.py (?P<rest>[a-z].*)")
_SETTING: Final = re.compile(r"\b(?:GLASSBOX|DJANGO)_[A-Z0-9_]*[A-Z0-9]\b|\b(?:ADMIN_)?DATABASE_URL\b|\bREDIS_URL\b")
_API: Final = re.compile(r"(?:(?P<method>GET|POST|PATCH|PUT|DELETE) )?(?P<path>/api/v1/[\w{}/.-]*)")
_LINK: Final = re.compile(r"\]\((/[^)\s]*)\)")
_FILE: Final = re.compile(r"(?:apps|config|tests|docs|static|templates)/[\w./-]+")
# What stands in manage.py itself, before Django's commands.
_EARLIER: Final = {
    "test": {"--all", "--help"},
    "docs": {"--check", "--help"},
    "serve": {"--bind", "--processes", "--help"},
}
# What a name of a variable may begin with, where a page shows the beginning alone.
_ENDINGS_OF: Final = re.compile(r"\.(?:text|secret|integer|boolean|items|url|number|path)\(\s*\"([A-Z0-9_]+)\"")


# --- Commands --------------------------------------------------------------------------------------------------------


def _lines() -> Iterator[tuple[str, str]]:
    """Each line of a shell that a page shows, in a block or between backticks."""
    for block in blocks(""):
        for line in block.code.replace("\\\n", " ").splitlines():
            yield block.page, line.partition("    #")[0]
    yield from inline_code()


def commands() -> list[tuple[str, str]]:
    """Page and what follows `manage.py`, for each command that a page names."""
    found = []
    for page, line in _lines():
        match = _COMMAND.search(line)
        if match:
            found.append((page, re.split(r" (?:&&|\||>) ", match["rest"])[0].strip()))
    return sorted(set(found))


@cache
def _parser(name: str) -> argparse.ArgumentParser:
    app = get_commands()[name]
    command: Any = app if not isinstance(app, str) else load_command_class(app, name)
    parser: argparse.ArgumentParser = command.create_parser("manage.py", name)
    return parser


def _sub_parser(parser: argparse.ArgumentParser, words: list[str]) -> argparse.ArgumentParser:
    """The parser of the action that the words name, where the command has such. Raises: KeyError."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices[words[0]] if words else parser
        if action.choices and not action.option_strings and words and action.dest == "action":
            assert words[0] in action.choices, f"there is no action {words[0]}"
    return parser


def _flags(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


@pytest.mark.parametrize(("page", "command"), commands())
def test_a_command_is_there_with_its_flags(page: str, command: str) -> None:
    """Values of options may be shortened; what is optional may stand in brackets."""
    name, *words = shlex.split(command.replace("[", " ").replace("]", " "), comments=True)
    flags = {word.partition("=")[0] for word in words if word.startswith("--")}
    if name in _EARLIER:
        assert flags <= _EARLIER[name]
        if name == "serve" and words:
            assert words[0] in {"PROCESS", *(process.value for process in SERVED)}
        return
    assert name in get_commands(), f"there is no command {name}"
    arguments = [word for word in words if not word.startswith("--")]
    parser = _sub_parser(_parser(name), arguments)
    assert flags <= _flags(parser), f"{name} has no {flags - _flags(parser)}"


@pytest.mark.parametrize(
    ("page", "command"), [each for each in commands() if "--kind " in each[1] or "--role " in each[1]]
)
def test_a_kind_and_a_role_are_there(page: str, command: str) -> None:
    for option, known in (("--kind", [kind.value for kind in FUND_HOUSE]), ("--role", Role.values)):
        for value in re.findall(rf"{option} ([a-z_]+)", command):
            assert value in known


def test_the_actions_of_a_list_are_there() -> None:
    """`manage.py tenant create`, `tenant scope`: the further ones stand without manage.py."""
    text = (CHECKOUT / "docs/operations/commands.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tenant|audit|erasure|corpus|policy) ([a-z-]+)", text)
    assert len(named) > 5
    for name, action in named:
        _sub_parser(_parser(name), [action])


def test_every_command_of_ours_is_in_the_list() -> None:
    ours = {name for name, app in get_commands().items() if str(app).startswith("apps.")} | set(_EARLIER)
    listed = {command.split()[0] for page, command in commands() if page == "docs/operations/commands.md"}
    assert ours <= listed


# --- Settings --------------------------------------------------------------------------------------------------------


@cache
def _read() -> frozenset[str]:
    """What some module reads from the environment, by name."""
    names = {secret.variable for secret in SECRETS}
    for folder in ("config", "apps"):
        for path in (CHECKOUT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and _SETTING.fullmatch(node.value):
                    names.add(node.value)
    return frozenset(names)


def _settings() -> list[tuple[str, str]]:
    return sorted({(page, name) for page, text in pages().items() for name in _SETTING.findall(text)})


@pytest.mark.parametrize(("page", "name"), _settings())
def test_a_setting_is_read_somewhere(page: str, name: str) -> None:
    known = _read() | _assigned() | {f"{secret.variable}_FILE" for secret in SECRETS} | _OF_TESTS | _OF_CLIENTS
    assert name in known


# The clients' own, in examples; those of tests; and what recipes make up.
_OF_CLIENTS: Final = frozenset({"GLASSBOX_KEY", "GLASSBOX_HOUSE_MODEL", "GLASSBOX_HOUSE_URL"})
_OF_TESTS: Final = frozenset({"GLASSBOX_TEST_PICTURES", "DJANGO_SETTINGS_MODULE"})


@cache
def _assigned() -> frozenset[str]:
    text = (CHECKOUT / "config/settings/base.py").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^([A-Z_]+)(?::.*)? =", text, re.MULTILINE))


# --- The API and the product's pages ---------------------------------------------------------------------------------


def _addresses() -> list[tuple[str, str, str]]:
    found = set()
    for page, text in pages().items():
        for match in _API.finditer(text):
            found.add((page, match["method"] or "", match["path"].rstrip(".")))
    return sorted(found)


@pytest.mark.parametrize(("page", "method", "path"), _addresses())
def test_an_address_of_the_api_is_there(page: str, method: str, path: str) -> None:
    """In the OpenAPI document; or, of the few that stand beside it, where the addresses lead to it."""
    known = openapi()["paths"]
    if path in known:
        assert not method or method.lower() in known[path]
    else:
        assert path in {"/api/v1/docs/", "/api/v1/openapi.json", "/api/v1/changelog/", "/api/v1/problems/"}
        resolve(path)


def test_an_absolute_link_leads_into_the_product() -> None:
    linked = {(page, link) for page, text in pages().items() for link in _LINK.findall(text)}
    assert linked
    for page, link in linked:
        try:
            resolve(link)
        except Resolver404:
            pytest.fail(f"{page}: {link} leads nowhere")


# --- Files and code --------------------------------------------------------------------------------------------------


def test_a_file_that_is_named_is_there() -> None:
    named = {(page, match) for page, code in inline_code() for match in _FILE.findall(code)}
    assert len(named) > 30
    assert {each for each in named if not (CHECKOUT / each[1]).exists()} == set()


def _python() -> list[Block]:
    return blocks("python")


@pytest.mark.parametrize("block", _python(), ids=lambda block: block.page)
def test_what_a_recipe_imports_is_there(block: Block) -> None:
    tree = ast.parse(block.code)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    future = [node for node in imports if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    body: list[ast.stmt] = [*future, *(node for node in imports if node not in future)]
    module = ast.Module(body=body, type_ignores=[])
    exec(compile(module, block.page, "exec"), {})  # noqa: S102 - our own page


def test_each_recipe_has_code() -> None:
    assert {Path(block.page).stem for block in _python()} >= {"stage", "provider", "job", "table", "event"}
