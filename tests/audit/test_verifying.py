"""The end of an erasure: prepared, removed, forgotten by the disk, looked for and certified; or not, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import LazySettings

from apps.audit.certificate.checking import checked, holds
from apps.audit.certificate.document import document_of
from apps.audit.erasure.contracts import Origin, RunState
from apps.audit.erasure.proof import safe
from apps.audit.residue.access import Access
from apps.tenants.context import open_scope
from tests.audit.acting import sealed
from tests.audit.proving import ZOE, counted_zero, issued, letter, own_access, proved, verified
from tests.audit.removing import actions, again, approved, asked, carried_out
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(settings: LazySettings) -> Firm:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    return make_firm("acme")


@pytest.fixture
def access(tmp_path: Path) -> Access:
    return own_access(tmp_path)


def test_an_erasure_ends_with_a_certificate_that_holds(acme: Firm, access: Access, settings: LazySettings) -> None:
    settings.GLASSBOX_BACKUP_RETENTION_DAYS = 30
    letter(acme, "Ignatius Grünwald-Österreicher")
    targets = [letter(acme, ZOE), *asked(acme)]
    sealed(acme)
    run = approved(acme, targets)

    assert carried_out(acme, run) is None, "nothing goes before it is prepared"
    assert proved(access).prepared == 1
    kept = safe.path_of(access.home, tenant_id=acme.id, run_id=run.id)
    assert kept.stat().st_mode & 0o777 == 0o600
    gathered = safe.opened(access.home, tenant_id=acme.id, run_id=run.id)
    assert gathered.by_sort() == {"bytes": 3, "id": 2, "term": 1, "text": 6}
    import time
    t=time.time()
    counted_zero(acme, run, access)
    assert again(acme, run).state == RunState.VERIFYING
    went = proved(access)
    print(time.time()-t)
    run = again(acme, run)
    assert went.ended == {RunState.COMPLETED: 1}, run.verification
    assert not kept.exists()
    [certificate] = issued(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        document = json.loads(json.dumps(document_of(certificate)))
    checks = checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS)
    assert holds(checks), checks
    print(json.dumps(document, indent=1))
    print(actions(acme, run))
