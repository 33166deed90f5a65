"""What a floor reads of the floors above it, and what a page reads of a service: somebody registered it.

A registry with which nobody registers is no error anywhere: what reads it goes on with nothing, and says so to nobody.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dis import get_instructions
from types import ModuleType

import pytest

import apps

# Beside the functions of a registry.py that keep something: those that are named so, wherever they are.
_PREFIXES = ("register_", "add_to_", "offer_", "on_", "when_")
# What a function does with a collection that keeps what it is given.
_KEEPS = frozenset({"append", "extend", "add", "setdefault", "update"})


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(apps.__path__, "apps."):
        if not {"migrations", "__main__"} & set(found.name.split(".")):
            yield importlib.import_module(found.name)


def registries() -> Iterator[tuple[str, list[str]]]:
    """Each function that takes something in, with the names of what it keeps it in."""
    for module in modules():
        for name, function in vars(module).items():
            if not inspect.isfunction(function) or function.__module__ != module.__name__:
                continue
            collections = kept_in(module, function)
            keeps = module.__name__.endswith(".registry") and not name.startswith("_") and collections
            if (keeps or (name.startswith(_PREFIXES) and collections)) and inspect.signature(function).parameters:
                yield f"{module.__name__}.{name}", collections


def kept_in(module: ModuleType, function: Callable[..., object]) -> list[str]:
    """The collections of the module, and places for one, in which the function or one beside it keeps something."""
    names = function.__code__.co_names
    if not _keeps(function) and not any(
        inspect.isfunction(beside := vars(module).get(each)) and each.startswith("_") and _keeps(beside)
        for each in names
    ):
        return []
    own = {each.argval for each in get_instructions(function) if each.opname == "STORE_GLOBAL"}
    return [each for each in names if each in own or isinstance(vars(module).get(each), list | dict | set)]


def _keeps(function: Callable[..., object]) -> bool:
    """Whether it puts something into a collection: by a method, an item, a slice or a name."""
    does = {each.opname for each in get_instructions(function)}
    return bool(
        does & {"STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL"} or _KEEPS.intersection(function.__code__.co_names)
    )


FOUND = dict(registries())


def test_the_registries_are_found() -> None:
    """So that what follows is about something."""
    assert len(FOUND) >= 25
    assert FOUND["apps.erasure.registry.register_obstacle"] == ["_obstacles", "_within"]
    assert FOUND["apps.tenants.registry.register_on_tenant_created"] == ["_on_created"]


def test_a_room_has_one_registry() -> None:
    places = {name.rpartition(".")[0] for name in FOUND}
    assert places == {f"apps.{room}.registry" for room in ("tenants", "audit", "erasure", "corpus", "intents")}


@pytest.mark.parametrize("name", sorted(FOUND))
def test_somebody_registered(name: str) -> None:
    module = importlib.import_module(name.rpartition(".")[0])
    empty = [each for each in FOUND[name] if not getattr(module, each)]
    assert not empty, f"nobody registers with {name}: {empty}"
