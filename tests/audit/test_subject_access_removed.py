"""What was removed from the log is told as removed, in a person's own package, too."""

from __future__ import annotations

import json

import pytest

from apps.audit.registry import Group
from apps.audit.services import record
from apps.erasure.log_removal import Removal, removals_execute
from apps.privacy.my_data.contracts import Format
from apps.privacy.my_data.services import my_data_export
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import authorised, sealed
from tests.audit.mutations import acting_as
from tests.baked import baked
from tests.factories import as_, make_firm, make_member

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_question_that_was_removed_is_told_as_removed() -> None:
    firm = baked(make_firm, "acme")
    alice = make_member(firm, "alice", Role.ANALYST)
    with as_(alice):
        asked = record(
            action="retrieval.question.answered",
            core={"intent": "risk"},
            question={"text": "Who is ill?", "length_chars": 11},
            scopes=firm.scope_ids("fund:alpha"),
        )
    sealed(firm)
    authorising = authorised(firm.id, [Removal(event_id=asked.id, group=Group.QUESTION)])
    sealed(firm)
    with acting_as("glassbox_eraser"), open_scope(tenant=firm.id, reason="a test"):
        removals_execute(authorising_event_id=authorising.id)
    with as_(alice):
        parts = my_data_export(Format.JSON)
    found = json.loads(b"".join(parts))
    events = next(each["entries"] for each in found["categories"] if each["key"] == "events")
    (question,) = [each for each in events if each["action"] == "retrieval.question.answered"]
    assert question["notes"] == ["The question was removed."]
    assert question["details"] == {"intent": "risk"}
    assert "question" not in question
