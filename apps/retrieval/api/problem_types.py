"""What each problem means and what to do: the page that a problem's `type` leads to, made of the errors themselves."""

from __future__ import annotations

import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from importlib import import_module

from django.db import transaction
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response

import apps
from apps.errors import ApplicationError, kinds_of
from apps.tenants.api.problems import FRAMEWORK_PROBLEMS, title_of
from apps.tenants.api.views import ApiView

_PLACEHOLDER = re.compile(r"\{(\w+)[^}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemType:
    """One code. messages: what it says and what to do, once for each error that has it; names in angle brackets are
    filled in when it is told."""

    code: str
    status: int
    messages: tuple[str, ...]

    @property
    def title(self) -> str:
        return title_of(self.status)

    @property
    def is_ours(self) -> bool:
        """Whether its own words are for our log, and not told."""
        return self.status == HTTPStatus.INTERNAL_SERVER_ERROR


@lru_cache(maxsize=1)
def problem_types() -> tuple[ProblemType, ...]:
    """All that the API answers with, by code."""
    for module in pkgutil.walk_packages(apps.__path__, f"{apps.__name__}."):
        # Others that define errors are imported by what raises them, and so by the addresses.
        if "error" in module.name.rpartition(".")[2]:
            import_module(module.name)
    status: dict[str, int] = {}
    messages: dict[str, set[str]] = defaultdict(set)
    for error in _classes_of(ApplicationError):
        for code, of_code, message in kinds_of(error):
            status.setdefault(code, of_code)
            messages[code].add(_PLACEHOLDER.sub(r"<\1>", message))
    for code, (of_framework, meaning) in FRAMEWORK_PROBLEMS.items():
        status[code] = of_framework
        messages[code].add(meaning)
    return tuple(
        ProblemType(code=code, status=status[code], messages=tuple(sorted(messages[code]))) for code in sorted(status)
    )


def _classes_of(error: type[ApplicationError]) -> Iterator[type[ApplicationError]]:
    for kind in error.__subclasses__():
        if kind.__module__.startswith(f"{apps.__name__}."):
            yield kind
        yield from _classes_of(kind)


@method_decorator(transaction.non_atomic_requests, name="dispatch")
@extend_schema(exclude=True)
class ProblemTypesView(ApiView):
    """For anybody: it holds nothing but our own words."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    renderer_classes = [TemplateHTMLRenderer]

    def get(self, request: Request) -> Response:
        return Response({"types": problem_types()}, template_name="glassbox/problem_types.html")
