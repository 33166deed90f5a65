"""Whatever may hold something of a person is in their package, or is left out with a reason; and plants are found."""

from __future__ import annotations

import pytest

from apps.audit.registry import EventClass, Group, _classes, register
from apps.erasure.declarations.classified import Classified
from apps.erasure.personal_data.places import everything
from apps.erasure.registry import classified
from apps.privacy.my_data.contents import CATEGORIES, undecided
from apps.privacy.my_data.event_fields import undecided_fields, withheld_fields
from apps.privacy.my_data.package import left_out
from apps.tenants.personal_data import Sort

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
    decided = {each.name for each in classified() if each.shown_in or each.withheld}
    gone = {name for name in decided - everything() if not name.startswith("folder:")}
    assert gone == set()


def test_nothing_is_both_in_it_and_left_out() -> None:
    assert [each.name for each in classified() if each.shown_in and each.withheld] == []


def test_every_category_shows_something_and_what_is_left_out_says_why() -> None:
    assert {category.key for category in CATEGORIES} == {each.shown_in for each in classified() if each.shown_in}
    named = sorted(name for each in left_out() for name in each.names)
    assert named == sorted(each.name for each in classified() if each.withheld)
    assert len({each.because for each in left_out()}) == len(left_out())


def test_every_field_of_every_event_is_decided_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert undecided_fields() == []
    monkeypatch.setattr("apps.audit.registry._classes", dict(_classes))
    register(EventClass(action="a.plant.grew", label="A plant", fields={Group.CORE: frozenset({"gardener"})}))
    assert undecided_fields() == ["core.gardener"]


def test_what_is_withheld_of_events_says_why() -> None:
    assert all(because and names for because, names in withheld_fields().items())


def test_a_column_that_names_a_category_which_is_not_there_is_found() -> None:
    planted = Classified(name="tenants_user.diary", sort=Sort.FREE_TEXT, because="A plant.", shown_in="diaries")
    assert undecided(known=[*classified(), planted]) == ["tenants_user.diary"]


def test_every_category_has_a_key_of_its_own() -> None:
    assert len({category.key for category in CATEGORIES}) == len(CATEGORIES)
