"""Whatever may hold something of a person is in their package, or is left out with a reason; and plants are found."""

from __future__ import annotations

import pytest

from apps.audit.registry import EventClass, Group, _classes, register
from apps.erasure.declarations.classified import Classified, Sort
from apps.erasure.personal_data.places import everything
from apps.erasure.registry import classified
from apps.privacy.my_data.contents import CATEGORIES, decided, undecided
from apps.privacy.my_data.event_fields import undecided_fields, withheld_fields
from apps.privacy.my_data.left_out import LEFT_OUT, by_reason

pytestmark = pytest.mark.django_db


def test_somebody_decided_on_all_that_may_hold_something_of_a_person() -> None:
    assert undecided() == []


def test_a_column_that_nobody_decided_on_is_found() -> None:
    planted = [
        Classified(name=f"tenants_user.{sort.name.lower()}_of_theirs", sort=sort, because="A plant.")
        for sort in Sort
        if sort is not Sort.NONE
    ]
    counted = Classified(name="tenants_user.count", sort=Sort.NONE, because="A plant.")
    found = undecided(known=[*classified(), *planted, counted])
    assert found == sorted(each.name for each in planted)


@pytest.mark.slow
def test_what_was_decided_on_is_there() -> None:
    """A column that is gone is taken out of the package's words, too."""
    gone = {name for name in decided() - everything() if not name.startswith("folder:")}
    assert gone == set()


def test_nothing_is_both_in_it_and_left_out() -> None:
    held = {column for category in CATEGORIES for column in category.columns}
    assert held & {name for each in LEFT_OUT for name in each.names} == set()


def test_every_field_of_every_event_is_decided_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert undecided_fields() == []
    monkeypatch.setattr("apps.audit.registry._classes", dict(_classes))
    register(EventClass(action="a.plant.grew", label="A plant", fields={Group.CORE: frozenset({"gardener"})}))
    assert undecided_fields() == ["core.gardener"]


def test_what_is_withheld_of_events_says_why() -> None:
    assert all(because and names for because, names in withheld_fields().items())


def test_two_reasons_for_one_column_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="different reasons"):
        by_reason([("tenants_credential.password", "A reason."), ("tenants_credential.password", "Another reason.")])


def test_every_category_has_a_key_of_its_own() -> None:
    assert len({category.key for category in CATEGORIES}) == len(CATEGORIES)
