"""Profiles of providers: one setting for each kind of provider, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any, Generic, TypeVar, get_type_hints

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from apps.errors import ApplicationError

from .prices import UnreadablePriceError, read_price


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One configured provider; a tenant names one of each kind. A subclass narrows `backend` to its own kind's.

    region: where the text is processed. api_key_env: the environment variable that holds the key; empty for a server
    that needs no key. price: see read_price; empty for none.
    """

    name: str
    backend: StrEnum
    region: str
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    timeout_seconds: float = 20.0
    price: str = ""

    def problem(self) -> str:
        """Return what is wrong with the values together; empty if nothing."""
        raise NotImplementedError


ProfileT = TypeVar("ProfileT", bound=Profile)


class Profiles(Generic[ProfileT]):
    """The profiles of one setting.

    Args: setting: the setting's name. unknown: the error for a name that is not in it (data: profile, known).
    """

    def __init__(self, setting: str, profile: type[ProfileT], *, unknown: type[ApplicationError]) -> None:
        self._setting, self._profile, self._unknown = setting, profile, unknown
        # Resolved once: a question looks up its profiles a dozen times, and resolving the types took twenty times as
        # long as the rest of reading an entry.
        self._types = {key: kind for key, kind in get_type_hints(profile).items() if key != "name"}
        self._needed = {each.name for each in fields(profile) if each.default is MISSING} - {"name"}

    def named(self, name: str) -> ProfileT:
        """Look up a profile by its name in the settings.

        Raises:  the error for unknown names: there is none of that name.
                 ImproperlyConfigured: its entry is not valid; the message names the key.
        """
        configured: Mapping[str, Mapping[str, Any]] = getattr(settings, self._setting)
        if name not in configured:
            raise self._unknown(profile=name, known=", ".join(sorted(configured)) or "(none configured)")
        return self.parse(name, configured[name])

    def parse(self, name: str, entry: Mapping[str, Any]) -> ProfileT:
        """Read one entry of the setting; every unknown, missing or mistyped key is an ImproperlyConfigured."""
        if unknown := sorted(set(entry) - self._types.keys()):
            raise self._invalid(name, f"unknown key {unknown[0]!r}")
        if missing := sorted(self._needed - set(entry)):
            raise self._invalid(name, f"{missing[0]!r} is missing")
        profile = self._profile(name=name, **{key: self._value(name, key, value) for key, value in entry.items()})
        if problem := profile.problem():
            raise self._invalid(name, problem)
        try:
            read_price(profile.price)
        except UnreadablePriceError as error:
            raise self._invalid(name, f"'price' {error}") from error
        return profile

    def _value(self, name: str, key: str, value: Any) -> Any:
        kind = self._types[key]
        if issubclass(kind, StrEnum):
            if value not in list(kind):
                raise self._invalid(name, f"{key!r} must be one of {', '.join(kind)}, not {value!r}")
            return kind(value)
        wanted = (int, float) if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            raise self._invalid(name, f"{key!r} must be {kind.__name__}, not {type(value).__name__}")
        return value

    def _invalid(self, name: str, reason: str) -> ImproperlyConfigured:
        return ImproperlyConfigured(f"{self._setting}[{name!r}]: {reason}")
