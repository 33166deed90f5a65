"""A firm whose reports can be researched, and short ways to ask, to carry out and to read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from apps.research.models import ResearchRun, ResearchStep
from apps.research.runs.contracts import Result
from apps.research.runs.runner import RunOutcome, run_carry_out
from apps.research.runs.services import run_request
from apps.research.runs.showing import shown
from apps.retrieval.contracts import NO_FILTERS
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.people import user_by_name
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_firm, make_member

QUESTION = "What was the maximum drawdown of the Alpha Fund and the Beta Fund in the fourth quarter of 2024?"
ONE = "What was the maximum drawdown of the Alpha Fund in the fourth quarter of 2024?"
_REPORT = """# {fund}, fourth quarter of 2024

## Performance

The maximum drawdown of the {fund} in the fourth quarter of 2024 was {drawdown} %. It recovered within {weeks} weeks.
"""
_REPORTS = (("Alpha Fund", "12.5", "five", "fund:alpha"), ("Beta Fund", "3.3", "two", "fund:beta"))
RULES = b"# Compliance profile\n\nA drawdown above 20 % is reported to the board by Charlie within a day.\n"


def make_house(slug: str = "acme", *, password: str = "") -> Firm:
    """A report for each fund, and a rule of the firm. Alice reaches all of it, Bob the fund alpha."""
    firm = make_firm(slug)
    for fund, drawdown, weeks, scope in _REPORTS:
        content = _REPORT.format(fund=fund, drawdown=drawdown, weeks=weeks).encode()
        facts: dict[str, Any] = {"company": fund, "fiscal_year": 2024, "fiscal_quarter": 4}
        run(firm, ingest(firm, content, filename=f"{scope[5:]}.md", scope=scope, kind="run", **facts).job)
    run(firm, ingest(firm, RULES, filename="rules.md", scope=f"firm:{slug}", kind="compliance_profile").job)
    make_member(firm, "alice", Role.COMPLIANCE_OFFICER, password=password)
    make_member(firm, "bob", Role.ANALYST, scopes=["fund:alpha"])
    return firm


def person(firm: Firm, name: str) -> Principal:
    """The person as they are granted now."""
    return user_principal(user_by_name(name), firm.id)


def request(who: Principal, text: str = QUESTION, **more: Any) -> ResearchRun:
    return run_request(text=text, principal=who, **{"scopes": (), "given": NO_FILTERS, **more})


def carry_out(found: ResearchRun) -> RunOutcome:
    """Carry out the run, for as many turns as it takes."""
    outcome = RunOutcome.GAVE_WAY
    while outcome is RunOutcome.GAVE_WAY:
        outcome = run_carry_out(run_id=found.id, tenant_id=found.tenant_id)
    return outcome


def researched(who: Principal, text: str = QUESTION, **more: Any) -> ResearchRun:
    found = request(who, text, **more)
    assert carry_out(found) is RunOutcome.ENDED
    return row(who, found.id)


def row(who: Principal, run_id: UUID) -> ResearchRun:
    with open_scope(tenant=who.tenant_id, reason="a test"):
        found: ResearchRun = ResearchRun.objects.get(id=run_id)
        return found


def steps(who: Principal, run_id: UUID) -> list[ResearchStep]:
    with open_scope(tenant=who.tenant_id, reason="a test"):
        return list(ResearchStep.objects.filter(run_id=run_id).order_by("ordinal"))


def kinds_of_steps(who: Principal, run_id: UUID) -> list[str]:
    return [str(each.kind) for each in steps(who, run_id)]


def result(who: Principal, found: ResearchRun) -> Result:
    with open_scope(tenant=who.tenant_id, principal=who):
        told = shown(found.id).result
        assert told is not None
        return told
