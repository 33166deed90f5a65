"""What the tests of the versions' API share: addresses, contents, and how a version is brought to a state."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from apps.intents.baseline import baseline_snapshot
from apps.intents.snapshots.content import policy_content
from tests.api.client import Api

VERSIONS = "/api/v1/policy/versions/"

Json = dict[str, Any]


def at(version: Json | str, *steps: str) -> str:
    """A version's address, or that of something of it: at(version, "submit")."""
    version_id = version if isinstance(version, str) else version["version_id"]
    return "/".join([f"{VERSIONS}{version_id}", *steps, ""])


def wider() -> Json:
    """The shipped policy, but performance may reach schedules; its own bar is none.

    The vectors of the tests' server stand for words, not for meanings: no bar can be reached with them.
    """
    content = deepcopy(policy_content(baseline_snapshot()))
    content["intents"][0]["kinds"].append("schedule")
    content["classifier"]["minimum_golden_accuracy"] = 0.0
    return content


def changed(path: str, value: Any) -> Json:
    """The wider policy with another value at a path, such as intents.0.kinds; `...` takes what is there away."""
    content = wider()
    *parents, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place: Any = content
    for step in parents:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return content


def begun(officer: Api, content: Json | None = None) -> Json:
    """A draft of the officer's: the wider policy, or another content."""
    response = officer.post(VERSIONS, {"reason": "Schedules belong to performance.", "content": content or wider()})
    assert response.status_code == 201, response.content
    version: Json = response.json()
    return version


def submitted(officer: Api) -> Json:
    response = officer.step(at(begun(officer), "submit"))
    assert response.status_code == 200, response.content
    version: Json = response.json()
    return version
