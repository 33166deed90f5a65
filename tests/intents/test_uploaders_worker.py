"""The worker files nothing that its uploader may not: on rows that are committed, as another role reads them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import ProgrammingError, transaction

from apps.corpus.models import Document
from apps.intents.services.versions import policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.mutations import acting_as
from tests.baked import baked
from tests.corpus.ingesting import ingest
from tests.factories import as_, make_firm, make_member
from tests.intents.test_uploaders_held import approve

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.slow
def test_the_worker_moves_no_document_to_another_kind_in_the_name_of_its_uploader(transactional_db: None) -> None:
    acme = baked(make_firm, "acme")
    admin, analyst = make_member(acme, "tessa", Role.TENANT_ADMIN), make_member(acme, "alice", Role.ANALYST)
    version = approve(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        policy_version_activate(version)
    minutes = ingest(acme, kind="run", scope="firm:acme", principal=admin).document
    with (
        acting_as("glassbox_worker"),
        as_(analyst),
        pytest.raises(ProgrammingError, match="lets only tenant_admin"),
        transaction.atomic(),
    ):
        Document.objects.filter(id=minutes.id).update(kind="methodology")
    # The control: what a reading finds is the worker's to write, in whosever name the job runs.
    with acting_as("glassbox_worker"), as_(replace(analyst, runs_job_of=minutes.id)):
        assert Document.objects.filter(id=minutes.id).update(language="en") == 1
