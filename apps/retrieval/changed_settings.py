"""Settings for one run: changes to the policy's retrieval settings and the stage settings, by name, each checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from apps.intents.errors import InvalidRetrievalSettingsError
from apps.intents.retrieval_settings import RetrievalSettings, retrieval_settings_from_json
from apps.retrieval.errors import InvalidSettingError, InvalidStageSettingError, UnknownSettingError
from apps.retrieval.stage_settings import StageSettings

Value = int | float | bool | str
_POLICY: Final[Mapping[str, Value]] = asdict(RetrievalSettings())
_STAGES: Final[Mapping[str, Value]] = asdict(StageSettings())
_SWITCH: Final = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_WANTED: Final[Mapping[type, str]] = {bool: "true or false", int: "a whole number", float: "a number", str: "a name"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of one pipeline run: those of a policy version and those of the stages."""

    policy: RetrievalSettings = field(default_factory=RetrievalSettings)
    stages: StageSettings = field(default_factory=StageSettings)

    def with_changes(self, changes: Mapping[str, Value]) -> RunSettings:
        """Return these settings with the given changes.

        Raises: UnknownSettingError, InvalidSettingError.
        """
        for name in changes:
            if name not in _POLICY and name not in _STAGES:
                raise UnknownSettingError(name=name, known=", ".join(sorted({**_POLICY, **_STAGES})))
        of_policy = {name: value for name, value in changes.items() if name in _POLICY}
        of_stages: dict[str, Any] = {name: value for name, value in changes.items() if name in _STAGES}
        try:
            policy = retrieval_settings_from_json({**self.policy.as_json(), **of_policy})
        except InvalidRetrievalSettingsError as error:
            name = str(error.data["name"])
            raise InvalidSettingError(name=name, value=changes[name], wanted=_wish(error)) from error
        for name, value in of_stages.items():
            _check(name, value, type(_STAGES[name]))
        try:
            return RunSettings(policy=policy, stages=replace(self.stages, **of_stages))
        except InvalidStageSettingError as error:
            name, low, high = (error.data[each] for each in ("name", "low", "high"))
            wanted = f"between {low} and {high}"
            raise InvalidSettingError(name=name, value=error.data["value"], wanted=wanted) from error

    def as_json(self) -> dict[str, dict[str, Value]]:
        return {"policy": dict(self.policy.as_json()), "stages": asdict(self.stages)}


def read_changes(given: Iterable[str]) -> dict[str, Value]:
    """Read `name=value` pairs; the type is that of the setting.

    Raises: UnknownSettingError, InvalidSettingError.
    """
    changes: dict[str, Value] = {}
    for each in given:
        name, equals, text = (part.strip() for part in each.partition("="))
        default = _POLICY.get(name, _STAGES.get(name))
        if default is None:
            raise UnknownSettingError(name=repr(name), known=", ".join(sorted({**_POLICY, **_STAGES})))
        if not equals:
            raise InvalidSettingError(name=name, value="left out", wanted=f"given as {name}=value")
        changes[name] = _read(name, text, type(default))
    return changes


def _read(name: str, text: str, wanted: type) -> Value:
    try:
        match wanted():
            case bool():
                return _SWITCH[text.lower()]
            case int():
                return int(text)
            case float():
                return float(text)
            case _:
                return text
    except (KeyError, ValueError) as error:
        raise InvalidSettingError(name=name, value=repr(text), wanted=_WANTED[wanted]) from error


def _check(name: str, value: Value, wanted: type) -> None:
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) if wanted is float else type(value) is wanted
    if not fits:
        raise InvalidSettingError(name=name, value=repr(value), wanted=_WANTED[wanted])


def _wish(error: InvalidRetrievalSettingsError) -> str:
    return str(error.data["problem"]).removeprefix("it must be ").removeprefix("it must ")
