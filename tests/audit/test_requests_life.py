"""The steps of a request by their table: where they lead, who may take them, and what is never possible."""

from __future__ import annotations

from itertools import product
from typing import Final

from apps.privacy.codes.life import ANSWERED, FINISHED, OPEN, REQUESTS, RequestState, can_end
from apps.tenants.flows.table import By, Step
from apps.tenants.roles import Permission

S = RequestState
EDGES: Final = REQUESTS.edges()


def of_purpose(purpose: str) -> list[Step]:
    return [step for step in REQUESTS.steps if step.where.get("purpose", purpose) == purpose]


def test_the_proposal_is_left_in_two_ways_for_which_no_second_person_is_needed() -> None:
    back = [step for step in REQUESTS.steps if S.AWAITING_APPROVAL in step.before and step.after is S.INVENTORY_READY]
    assert [(step.by, step.may) for step in back] == [
        (By.PERSON, (Permission.PRIVACY_APPROVE,)),
        (By.PERSON, (Permission.PRIVACY_MANAGE,)),
    ]


def test_nothing_leads_out_of_what_is_finished() -> None:
    assert not [edge for edge in EDGES if edge[0] in FINISHED]


def test_every_state_is_reached_and_every_open_one_can_be_left() -> None:
    reached, todo = {S.RECEIVED.value}, [S.RECEIVED.value]
    while todo:
        state = todo.pop()
        for before, after in EDGES:
            if before == state and after not in reached:
                reached.add(after)
                todo.append(after)
    assert reached == set(S)
    assert {before for before, _ in EDGES} >= OPEN


def test_no_person_can_end_what_is_being_erased() -> None:
    for before, after in product(S, (S.REFUSED, S.WITHDRAWN)):
        steps = [step for step in REQUESTS.steps if before in step.before and step.after is after]
        assert [step.may for step in steps] == ([(Permission.PRIVACY_MANAGE,)] if can_end(before) else [])
    assert not any(can_end(state) for state in (S.RESTRICTED, S.EXECUTING, S.VERIFYING, S.FAILED, *ANSWERED))


def test_erasing_begins_with_an_approval_by_a_second_person_and_with_nothing_else() -> None:
    (approval,) = (step for step in REQUESTS.steps if step.after is S.RESTRICTED)
    assert (approval.before, approval.by) == ((S.AWAITING_APPROVAL,), By.SECOND)
    begins = [step for step in REQUESTS.steps if step.after is S.EXECUTING]
    assert [(step.before, step.by) for step in begins] == [
        ((S.RESTRICTED, S.FAILED, S.PARTIALLY_COMPLETED), By.PLATFORM)
    ]


def test_a_request_for_access_goes_no_way_on_which_something_is_removed() -> None:
    steps = of_purpose("access")
    assert {step.after for step in steps} == {
        S.IDENTITY_PENDING,
        S.ASSESSING,
        S.INVENTORY_READY,
        S.COMPLETED,
        S.REFUSED,
        S.WITHDRAWN,
    }
    assert {(step.by, step.may) for step in steps} == {(By.PERSON, (Permission.PRIVACY_MANAGE,))}
    only = [step for step in steps if step.where]
    assert {step.name for step in only} == {"prepare", "reopen", "answer"}


def test_a_request_for_erasure_ends_by_no_persons_word() -> None:
    done = [step for step in of_purpose("erasure") if step.after in (S.COMPLETED, S.PARTIALLY_COMPLETED)]
    assert {step.by for step in done} == {By.PLATFORM}
