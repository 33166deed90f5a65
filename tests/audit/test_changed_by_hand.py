"""What people change by hand for a request is written anew with its run: no step of the run tells of those rows."""

from __future__ import annotations

import pytest

from apps.audit.ids import new_id
from apps.erasure.contracts import Origin
from apps.erasure.proof.disk import tables_to_rewrite
from apps.erasure.registry import searched_of
from apps.privacy.admin.inventory.rows import BY_HAND_PAGES
from apps.privacy.proposals.problems import BY_HAND
from apps.tenants.admin.addresses import address
from tests.audit.removing import documents, proposed
from tests.factories import make_firm

pytestmark = pytest.mark.django_db

BY_PEOPLE = {"retrieval_evaluationquery", "tenants_scope", "tenants_apikey", "intents_policyversion"}


def test_a_request_s_run_writes_the_tables_anew_that_people_changed_for_it() -> None:
    acme = make_firm("acme")
    run = proposed(acme, documents(acme, 1))
    run.origin = Origin.REQUEST
    assert tables_to_rewrite(run) >= BY_PEOPLE
    run.origin = Origin.PURGE
    assert not tables_to_rewrite(run) & BY_PEOPLE


def test_every_store_that_is_changed_by_hand_is_among_them() -> None:
    """By the inventory's own list: a new line there is a table that is written anew."""
    for store in BY_HAND:
        if store != "retrieval.evaluation_answers":
            assert getattr(searched_of(store), "changed_by_hand", ""), store


def test_the_inventory_leads_to_where_it_is_changed() -> None:
    assert BY_HAND_PAGES.keys() <= BY_HAND.keys()
    assert all(address(page, new_id()) for page in BY_HAND_PAGES.values())
