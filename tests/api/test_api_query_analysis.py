"""What was read from a question: shown to whoever asks, and in the log by its fields alone."""

from __future__ import annotations

from typing import Any

import pytest

from apps.retrieval.trace import Stage
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.api.conftest import KeyMaker, ready_document
from tests.factories import Firm

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/query/"
RULES = "# Notice\n\nThe redemption notice of the fund is {days} days. It is counted from the day of dealing.\n"
YEARLY = "# Alpha Fund\n\nThe maximum drawdown of the Alpha Fund was {percent} % in this year.\n"


@pytest.fixture
def asked(acme: Firm, key: KeyMaker) -> Api:
    for code, days in (("LU", 11), ("IE", 22), ("CH", 33)):
        ready_document(
            acme,
            RULES.format(days=days).encode(),
            filename=f"rules-{days}.md",
            kind="fund_profile",
            document_type="policy",
            title=f"Rules {days}",
            jurisdictions=(code,),
        )
    for year, percent in ((2022, 4.4), (2023, 5.5)):
        ready_document(
            acme,
            YEARLY.format(percent=percent).encode(),
            filename=f"alpha-{year}.md",
            kind="run",
            document_type="report",
            title=f"Alpha {year}",
            company="Alpha Fund",
            fiscal_year=year,
        )
    return key(Role.ANALYST)


def ask(api: Api, question: str) -> dict[str, Any]:
    answer: dict[str, Any] = api.post(ADDRESS, {"question": question, "trace": True}).json()
    return answer


def stage(answer: dict[str, Any], name: Stage) -> dict[str, Any]:
    (found,) = [each for each in answer["trace"]["stages"] if each["stage"] == name]
    return dict(found)


def recorded(auditor: Api, answer: dict[str, Any]) -> dict[str, Any]:
    event = auditor.get(f"/api/v1/audit/events/{answer['audit_event_id']}/").json()
    return dict(event["payload"]["core"])


@pytest.mark.slow
def test_the_law_that_is_asked_about_narrows_the_search_and_is_shown_and_recorded(asked: Api, auditor: Api) -> None:
    answer = ask(asked, "What is the redemption notice of the fund under Luxembourg law?")
    (read,) = [each for each in stage(answer, Stage.ANALYSE)["output"]["filters"] if each["field"] == "jurisdiction"]
    assert (read["values"], read["certainty"]) == (["LU"], "sure")
    assert "11 days" in answer["answer"]
    core = recorded(auditor, answer)
    assert "jurisdiction:sure" in core["filters"]
    assert "Luxembourg" not in str(core)


@pytest.mark.slow
def test_a_law_that_nothing_is_held_of_is_relaxed_and_said(asked: Api, auditor: Api) -> None:
    answer = ask(asked, "What is the redemption notice of the fund under Japanese law?")
    assert "No document held has jurisdiction JP; the search continues without it." in answer["notices"]
    assert recorded(auditor, answer)["relaxed_filters"] == ["jurisdiction"]


def test_without_a_period_the_newest_report_comes_first_and_that_is_shown_and_recorded(
    asked: Api, auditor: Api
) -> None:
    answer = ask(asked, "What is the maximum drawdown of the Alpha Fund?")
    assert any(
        notice.startswith("No period named: the newest report of Alpha Fund, FY2023") for notice in answer["notices"]
    )
    lines = stage(answer, Stage.BOOST)["output"]["candidates"]
    lifted = {line["chunk_id"] for line in lines if line["boost"] > 0}
    assert lifted
    assert lifted != {line["chunk_id"] for line in lines}
    assert "5.5 %" in answer["answer"]
    assert "newest_report:likely" in recorded(auditor, answer)["filters"]
