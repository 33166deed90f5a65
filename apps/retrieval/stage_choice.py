"""How this installation runs the stages: as shipped, but for what GLASSBOX_RETRIEVAL_STAGES changes.

    GLASSBOX_RETRIEVAL_STAGES="reranker=cross_encoder, expand_top_k=3"

The names are those of `manage.py evaluate --set`, with which somebody who changes one has seen what it brings on their
own documents. What a policy version carries is not changed here: that has a second person's approval.
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
    """What differs from the shipped settings here, by name. Raises: StageChoiceError."""
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
    """The settings that questions are answered with. Raises: StageChoiceError."""
    return RunSettings().with_changes(changed_stages()).stages


def stages_check(**kwargs: Any) -> list[checks.CheckMessage]:
    """What is wrong with the setting is said before a process serves, and not to the first who asks."""
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
