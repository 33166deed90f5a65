"""A firm whose vectors come from the test's own model server, and its people: what the tests of the desk share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.urls import reverse

from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save, draft_start
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm, make_member
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def acme(db: None, server: ModelServer) -> Firm:
    return make_firm("acme")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


def begin(principal: Principal, reason: str = "Better examples.", **changes: Any) -> PolicyVersion:
    """A draft of the principal's, with another content where changes are named."""
    with open_scope(tenant=principal.tenant_id, principal=principal):
        draft = draft_start(reason=reason)
        if changes:
            content: PolicySnapshot = replace(version_snapshot(draft), **changes)
            draft = draft_save(draft.id, content=content, reason=reason, revision=draft.revision)
    return draft


def follow(visitor: Visitor, address: str) -> Page:
    """The page at an address, as from a link."""
    response: Any = visitor.get(address)
    return Page(response)


def try_with(visitor: Visitor, version: int, question: str) -> Page:
    """A question tried on the desk of a version."""
    response: Any = visitor.post(f"{reverse('admin:policy_desk')}?version={version}", {"question": question})
    return Page(response)
