from __future__ import annotations

import pytest
from django.utils import timezone

from apps.intents.baseline import baseline_snapshot
from tests.api.client import Api

pytestmark = pytest.mark.django_db


def test_the_policy_in_force_is_shown_with_what_each_intent_may_reach(analyst: Api) -> None:
    policy = analyst.get("/api/v1/policy/").json()
    assert (policy["version"], policy["status"], policy["valid_to"]) == (1, "active", None)
    assert {intent["name"]: intent["kinds"] for intent in policy["intents"]} == {
        rule.name: [kind.value for kind in rule.kinds] for rule in baseline_snapshot().intents
    }
    assert policy["fallback"]["kinds"] == ["org_profile"]
    assert policy["budgets"][0]["kind"] == "org_profile"


def test_the_policy_of_a_moment(analyst: Api) -> None:
    at = timezone.now().isoformat().replace("+00:00", "Z")
    assert analyst.get("/api/v1/policy/", {"at": at}).json()["version"] == 1


def test_before_the_first_policy_there_was_none(analyst: Api) -> None:
    response = analyst.get("/api/v1/policy/", {"at": "2001-01-01T00:00:00Z"})
    assert (response.status_code, response.json()["code"]) == (409, "intents.no_policy_in_force")


@pytest.mark.parametrize("at", ["soon", "", "2199-01-01T00:00:00Z"])
def test_a_moment_that_is_none_or_has_not_come(analyst: Api, at: str) -> None:
    assert list(analyst.get("/api/v1/policy/", {"at": at}).json()["errors"]) == ["at"]
