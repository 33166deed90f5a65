"""What the pages of a request, a run and its certificate say after a restore; and that supplements are handed out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest
from django.conf import LazySettings
from psycopg.types.json import Jsonb

from apps.audit.ids import new_id
from apps.privacy.codes.requests import Requester, SubjectType
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.roles import Role
from tests.audit.proving import PHYSICAL, SCAN, as_administrator, certified
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_member
from tests.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

HIT: Final = {"group": "logs", "place": "log/worker.log", "table": "", "encoding": "utf-8", "packed": False, "count": 2}
# Past the steps that a restore takes, which test_restore_proof.py has.
_INSERT: Final = """
    WITH past AS (SELECT set_config('session_replication_role', 'replica', true))
    INSERT INTO audit_restoration (id, tenant_id, restore_id, ordinal, through, state, runs, came_back, targets, leaves,
                                   manifest, error_code, verification, end_events, restored_at, ended_at,
                                   backup_made_at)
    SELECT %s, %s, %s, 0, 2, %s, %s, %s, 1, '{}', %s, %s, %s, '{}', '2026-11-20T08:00Z', '2026-11-21T08:00Z',
           '2026-11-18T08:00Z' FROM past
"""


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "checkpoints")
    return baked(make_firm, "acme")


def restored(firm: Firm, run: UUID, origin: UUID, state: str, *, came_back: int = 3, **more: Any) -> None:
    runs = [
        {
            "run": str(run),
            "origin": "request",
            "origin_id": str(origin),
            "reason": "erasure_request",
            "erased": "2026-11-19",
            "targets": 1,
            "came_back": came_back,
            "kept": 0,
        }
    ]
    found = {"control": {}, "needles": {}, "standing": [], "physical": PHYSICAL, "scan": more.get("scan", SCAN)}
    as_administrator(
        _INSERT,
        new_id(),
        firm.id,
        new_id(),
        state,
        Jsonb(runs),
        Jsonb({"corpus.documents": came_back} if came_back else {}),
        "0" * 64,
        more.get("code", ""),
        Jsonb(found),
    )


@pytest.mark.parametrize(
    ("state", "more", "said"),
    [
        ("proved", {}, "Proved again on 2026-11-21, after the restore of 2026-11-20 (backup of 2026-11-18)."),
        (
            "awaiting",
            {},
            "Restored on 2026-11-20 (backup of 2026-11-18), and removed again; NOT proven again (awaiting).",
        ),
        ("untouched", {"came_back": 0}, "Restored on 2026-11-20 (backup of 2026-11-18); nothing of it came back."),
        (
            "failed",
            {"code": "audit.proof_residue", "scan": {**SCAN, "clean": False, "hits": [HIT]}},
            "Something of it was found on the disk",
        ),
        ("unproven", {"code": "no_administrator"}, "The restore did not have the access"),
    ],
)
def test_each_page_says_what_became_of_it(acme: Firm, state: str, more: dict[str, Any], said: str) -> None:
    certificate = certified(acme)
    make_member(acme, "ada", Role.AUDITOR)
    visitor = Visitor("ada")
    for page in ("erasure_certificate", "removal_run"):
        id = certificate.id if page == "erasure_certificate" else certificate.run_id
        assert "After restores" not in visitor.open(page, id).text
    restored(acme, certificate.run_id, certificate.origin_id, state, **more)
    for page in ("erasure_certificate", "removal_run"):
        id = certificate.id if page == "erasure_certificate" else certificate.run_id
        text = visitor.open(page, id).text
        assert said in text, page
        assert ("log/worker.log" in text) is (state == "failed")
    listed = visitor.open("erasure_certificates").text
    assert "1 erasure made before" in listed
    bolt = make_firm("bolt")
    make_member(bolt, "ben", Role.AUDITOR)
    assert "After restores" not in Visitor("ben").open("erasure_certificates").text


def test_a_request_that_is_older_than_its_erasure_says_what_became_of_it(acme: Firm) -> None:
    """The backup knows the request and not its run: the tombstone named what the run was proposed for."""
    dora = make_member(acme, "dora", Role.DPO)
    with as_(dora):
        request = request_receive(
            subject_type=SubjectType.DATA_SUBJECT, requester=Requester.PERSON, details=Details(names=("Jo Doe",))
        )
    visitor = Visitor("dora")
    assert "After restores" not in visitor.open("erasure_request", request.id).text
    restored(acme, new_id(), request.id, "awaiting")
    page = visitor.open("erasure_request", request.id).text
    assert "and removed again; NOT proven again (awaiting)." in page
    assert "The backup is older than the end of this request" in page
