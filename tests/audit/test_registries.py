"""What a floor reads of the floors above it, and what a page reads of a service: somebody registered it.

A registry with which nobody registers is no error anywhere: what reads it goes on with nothing, and says so to nobody.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

import apps

_PREFIXES = ("register_", "add_to_")
_BY_NAME = (
    "apps.audit.registry.register",
    "apps.audit.registry.offer_to_webhooks",
    "apps.erasure.registry.classify",
)


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(apps.__path__, "apps."):
        if not {"migrations", "management", "__main__"} & set(found.name.split(".")):
            yield importlib.import_module(found.name)
    yield importlib.import_module("config.admin_site")
    yield importlib.import_module("apps.tenants.management.served")


def registries() -> Iterator[tuple[str, list[str]]]:
    """Each function that takes something in, with the names of what it keeps it in."""
    for module in modules():
        for name, function in vars(module).items():
            registers = name.startswith(_PREFIXES) or f"{module.__name__}.{name}" in _BY_NAME
            if not registers or not inspect.isfunction(function):
                continue
            if function.__module__ == module.__name__ and inspect.signature(function).parameters:
                yield f"{module.__name__}.{name}", kept_in(module, function)


def kept_in(module: ModuleType, function: Callable[..., object]) -> list[str]:
    """The collections, and places for one, of the module that the function names."""
    return [
        each
        for each in function.__code__.co_names
        if isinstance(vars(module).get(each), list | dict | set) or (each.startswith("_") and each in vars(module))
    ]


FOUND = dict(registries())


def test_the_registries_are_found() -> None:
    """So that what follows is about something."""
    assert len(FOUND) >= 15
    assert "apps.erasure.registry.register_items" in FOUND


@pytest.mark.parametrize("name", sorted(FOUND))
def test_somebody_registered(name: str) -> None:
    module = importlib.import_module(name.rpartition(".")[0])
    collections = FOUND[name]
    assert collections, f"{name} keeps nothing that this test can see"
    assert any(getattr(module, each) for each in collections), f"nobody registers with {name}"
