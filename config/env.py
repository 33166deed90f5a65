"""Typed readers of environment variables that fail loudly and name the variable.

Outside `collecting()` a missing or malformed variable raises at once. Inside it, all problems are gathered and raised
as one error at the end of the block, so that an operator can correct all of them at once:

    with collecting() as env:
        DATABASE_URL = env.url("DATABASE_URL", schemes=("postgresql",))
        SECRET_KEY = env.secret("DJANGO_SECRET_KEY")

An empty variable counts as unset, because that is what `NAME=${NAME}` in a compose file yields.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from apps.errors import ApplicationError

from .needs import Process, process_of

CHECKOUT: Final = Path(__file__).resolve().parent.parent
SECRET_MIN_LENGTH: Final = 16

T = TypeVar("T")

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})


class EnvironmentVariableError(ApplicationError):
    """One or more environment variables are missing or malformed."""

    code = "config.environment"
    status = 500
    message = "{problems}"


class _Unset:
    """The type of "no default", since None and "" are values that a caller may want."""


_UNSET: Final = _Unset()


class Reader:
    """Reads typed values from a mapping of variables.

    Args:
        source: the variables; the process environment when None.
        collect: gather problems for `verify` instead of raising at once. A reader then returns an empty value of
            its type for a variable that it could not read.
    """

    def __init__(self, source: Mapping[str, str] | None = None, *, collect: bool = False) -> None:
        self._source = os.environ if source is None else source
        self._collect = collect
        self._problems: list[str] = []

    def verify(self) -> None:
        """Raise every problem gathered so far.

        Raises: EnvironmentVariableError: with one problem per line.
        """
        if self._problems:
            raise EnvironmentVariableError(problems="\n".join(self._problems))

    def text(self, name: str, *, default: str | _Unset = _UNSET) -> str:
        return self._read(name, default, empty="", parse=lambda raw: raw)

    def boolean(self, name: str, *, default: bool | _Unset = _UNSET) -> bool:
        return self._read(name, default, empty=False, parse=_parse_boolean)

    def integer(
        self, name: str, *, default: int | _Unset = _UNSET, minimum: int | None = None, maximum: int | None = None
    ) -> int:
        def parse(raw: str) -> int:
            if not re.fullmatch(r"[+-]?[0-9]+", raw):
                raise ValueError("is not a whole number")
            return _within(int(raw), minimum, maximum)

        return self._read(name, default, empty=0, parse=parse)

    def number(
        self,
        name: str,
        *,
        default: float | _Unset = _UNSET,
        minimum: float | None = None,
        maximum: float | None = None,
    ) -> float:
        def parse(raw: str) -> float:
            try:
                value = float(raw)
            except ValueError:
                raise ValueError("is not a number") from None
            if not math.isfinite(value):
                raise ValueError("is not a finite number")
            return _within(value, minimum, maximum)

        return self._read(name, default, empty=0.0, parse=parse)

    def url(self, name: str, *, default: str | _Unset = _UNSET, schemes: tuple[str, ...] = ("http", "https")) -> str:
        """Return a URL with one of the given schemes. Errors never repeat its value, which may hold a password."""

        def parse(raw: str) -> str:
            scheme = urlsplit(raw).scheme
            if scheme not in schemes:
                raise ValueError(f"must be a URL that starts with {' or '.join(f'{s}://' for s in schemes)}")
            return raw

        return self._read(name, default, empty="", parse=parse)

    def items(self, name: str, *, default: tuple[str, ...] | _Unset = _UNSET) -> tuple[str, ...]:
        """Return a comma-separated list, without blanks around items and without empty items."""

        def parse(raw: str) -> tuple[str, ...]:
            return tuple(item for item in (part.strip() for part in raw.split(",")) if item)

        return self._read(name, default, empty=(), parse=parse)

    def ports(self, name: str, *, default: tuple[int, ...]) -> tuple[int, ...]:
        """Return port numbers, separated by commas."""

        def parse(raw: str) -> tuple[int, ...]:
            try:
                return tuple(_within(int(part), 1, 65_535) for part in raw.split(","))
            except ValueError:
                raise ValueError("must be port numbers, separated by commas") from None

        return self._read(name, default, empty=(), parse=parse)

    def path(self, name: str, *, default: Path | _Unset = _UNSET) -> Path:
        """Return an absolute path; `~` is expanded, and a relative path is resolved against the current directory."""
        return self._read(name, default, empty=Path(), parse=lambda raw: Path(raw).expanduser().absolute())

    def secret(self, name: str, *, default: str | _Unset = _UNSET, minimum_length: int = SECRET_MIN_LENGTH) -> str:
        """Return a secret from the variable, or from the file that NAME_FILE names (as container secrets are given).

        Raises: EnvironmentVariableError: missing, unreadable or shorter than `minimum_length` characters.
        """

        def parse(raw: str) -> str:
            if len(raw) < minimum_length:
                raise ValueError(f"is too short: a secret needs at least {minimum_length} characters")
            return raw

        def parse_file(raw: str) -> str:
            try:
                return parse(Path(raw).expanduser().read_text(encoding="utf-8").strip())
            except OSError as error:
                raise ValueError(f"names a file that can't be read ({error.strerror})") from None

        if not self._raw(name) and self._raw(f"{name}_FILE"):
            return self._read(f"{name}_FILE", _UNSET, empty="", parse=parse_file)
        return self._read(name, default, empty="", parse=parse)

    def _raw(self, name: str) -> str:
        return self._source.get(name, "").strip()

    def _read(self, name: str, default: T | _Unset, *, empty: T, parse: Callable[[str], T]) -> T:
        raw = self._raw(name)
        if not raw:
            if not isinstance(default, _Unset):
                return default
            return self._reject(f"{name} is not set.", empty)
        try:
            return parse(raw)
        except ValueError as error:
            return self._reject(f"{name} {error}.", empty)

    def _reject(self, problem: str, empty: T) -> T:
        if not self._collect:
            raise EnvironmentVariableError(problems=problem)
        self._problems.append(problem)
        return empty


@contextmanager
def collecting(source: Mapping[str, str] | None = None) -> Iterator[Reader]:
    """Yield a reader that gathers problems; raise all of them as one EnvironmentVariableError at the end."""
    reader = Reader(source, collect=True)
    yield reader
    reader.verify()


def home() -> Path:
    """Return the state folder: GLASSBOX_HOME, or `.glassbox` in the checkout. It need not exist yet."""
    return path("GLASSBOX_HOME", default=CHECKOUT / ".glassbox").resolve()


def process() -> Process:
    """Return what this process is for. Raises: EnvironmentVariableError: GLASSBOX_PROCESS has an unknown value."""
    try:
        return process_of(os.environ, sys.argv)
    except ValueError as error:
        raise EnvironmentVariableError(problems=str(error)) from None


def named_process() -> Process | None:
    """Return what GLASSBOX_PROCESS says in a checkout, if a supervisor set it."""
    return process() if text("GLASSBOX_PROCESS", default="") else None


def _parse_boolean(raw: str) -> bool:
    lowered = raw.lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    raise ValueError("must be one of 1, true, yes, on, 0, false, no, off")


N = TypeVar("N", int, float)


def _within(value: N, minimum: N | None, maximum: N | None) -> N:
    if minimum is not None and value < minimum:
        raise ValueError(f"must be at least {minimum}")
    if maximum is not None and value > maximum:
        raise ValueError(f"must be at most {maximum}")
    return value


_process = Reader()
text = _process.text
boolean = _process.boolean
integer = _process.integer
number = _process.number
url = _process.url
items = _process.items
ports = _process.ports
path = _process.path
secret = _process.secret


def broker_url(redis_url: str) -> str:
    """Return the URL of the same server as Celery writes it, because redis-py and Celery name sockets differently."""
    if not redis_url.startswith("unix:"):
        return redis_url
    return redis_url.replace("unix:", "redis+socket:", 1).replace("?db=", "?virtual_host=", 1)
