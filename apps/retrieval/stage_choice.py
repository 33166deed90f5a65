"""The stage settings of this installation: the shipped settings with the changes in GLASSBOX_RETRIEVAL_STAGES.

    GLASSBOX_RETRIEVAL_STAGES="reranker=cross_encoder, expand_top_k=3"

The names are those of `manage.py evaluate --set`, so an operator can measure a change on the installation's own
documents before making it. Settings that a policy version carries cannot be changed here, because they need a second
person's approval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from django.core import checks

from apps.retrieval.changed_settings import RunSettings, Value, read_changes
from apps.retrieval.errors import InvalidSettingError, StageChoiceError, UnknownSettingError
from apps.retrieval.optional.slots import DIVERSIFIERS, HEALERS, NEEDED_SETTINGS, RERANKERS, REWRITERS, lacks_setting
from apps.retrieval.stage_settings import NONE, StageSettings

SETTING: Final = "GLASSBOX_RETRIEVAL_STAGES"
_SLOTS: Final = {"rewriter": REWRITERS, "diversifier": DIVERSIFIERS, "reranker": RERANKERS, "healer": HEALERS}


def changed_stages() -> dict[str, Value]:
    """Return the settings that differ from the shipped ones here, by name. Raises: StageChoiceError."""
    given = [part for part in settings.GLASSBOX_RETRIEVAL_STAGES.split(",") if part.strip()]
    try:
        changes = read_changes(given)
        changed = RunSettings().with_changes(changes)
    except (UnknownSettingError, InvalidSettingError) as error:
        raise StageChoiceError(problem=error.detail) from error
    if changed.policy != RunSettings().policy:
        names = ", ".join(sorted(changes.keys() & changed.policy.as_json().keys()))
        raise StageChoiceError(problem=f"{names} belongs to the policy, and is changed in a draft of it.")
    return changes


def stages_in_use() -> StageSettings:
    """Return the settings with which questions are answered. Raises: StageChoiceError."""
    return RunSettings().with_changes(changed_stages()).stages


def stages_check(**kwargs: Any) -> list[checks.CheckMessage]:
    """Report errors in the setting before a process starts serving, and not to the first person who asks a question."""
    try:
        chosen = stages_in_use()
    except StageChoiceError as error:
        return [checks.Error(error.detail, id="retrieval.E001")]
    return [checks.Error(f"{SETTING}: {problem}", id="retrieval.E002") for problem in _not_to_be_had(chosen)]


def _not_to_be_had(chosen: StageSettings) -> Iterator[str]:
    for slot, installed in _SLOTS.items():
        name = getattr(chosen, slot)
        if name == NONE:
            continue
        if name not in installed:
            yield f"there is no {slot} {name!r}; there are {', '.join([NONE, *installed])}."
        elif lacks_setting(name):
            yield f"the {slot} {name} needs {NEEDED_SETTINGS[name]}."
