"""Reports over the log: figures that are right, bounded, and the same on the page as in the file."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.models import Event, Outcome
from apps.audit.reporting import contracts, questions
from apps.audit.reporting.contracts import ANSWERED, FAILED, REJECTED, Period, Report, Step
from apps.audit.reporting.delimited import csv_bytes
from apps.audit.reporting.events import REPORT_EXPORTED
from apps.audit.reporting.questions import question_report
from apps.audit.reporting.tally import Tally, percentile
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.retrieval import events as retrieval_events
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

RUN = UUID(int=1)
NOTE = UUID(int=2)


@pytest.fixture
def ada(acme: Firm) -> Visitor:
    make_member(acme, "ada", Role.AUDITOR)
    return Visitor("ada")


def hit(document: UUID, *, kind: str = "run", cited: bool = True, in_context: bool = True) -> dict[str, Any]:
    return {
        "rank": 1,
        "document_id": str(document),
        "kind": kind,
        "ref_id": f"document-{document.int}|p1|c1",
        "cited": cited,
        "in_context": in_context,
    }


def asked(
    firm: Firm,
    *,
    action: str = ANSWERED,
    intent: str = "performance",
    outcome: Outcome = Outcome.SUCCESS,
    elapsed_ms: float = 100.0,
    hits: list[dict[str, Any]] | None = None,
    scopes: tuple[str, ...] = (),
) -> Event:
    core: dict[str, Any] = {"code": "x"}
    if action in contracts.DECIDED:
        core = {"intent": intent, "policy_version": 1, "permitted_kinds": ["run"], "elapsed_ms": elapsed_ms}
    with open_scope(tenant=firm.id, reason="a test"):
        return record(
            action=action,
            outcome=outcome,
            core=core,
            passages=None if hits is None else {"hits": hits},
            scopes=firm.scope_ids(*scopes),
        )


def period(days: int = 7, step: Step = Step.DAY) -> Period:
    now = timezone.now()
    today = now.astimezone(UTC).date()
    return Period(first=today - timedelta(days=days - 1), last=today, step=step, until=now + timedelta(seconds=5))


def report(firm: Firm, *, limit: int = 100, scope_id: UUID | None = None) -> Report:
    with open_scope(tenant=firm.id, reason="a test"):
        return question_report(period(), limit=limit, scope_id=scope_id)


def rows(found: Report, key: str) -> list[dict[str, Any]]:
    table = found.table(key)
    assert table is not None
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_the_names_of_actions_are_those_of_the_floor_that_writes_them() -> None:
    assert contracts.DECIDED == retrieval_events.DECIDED
    assert (contracts.ANSWERED, contracts.REJECTED, contracts.FAILED) == (
        retrieval_events.ANSWERED,
        retrieval_events.REJECTED,
        retrieval_events.FAILED,
    )


def test_the_figures_of_a_few_questions(acme: Firm) -> None:
    asked(acme, elapsed_ms=100.0, hits=[hit(RUN), hit(RUN), hit(NOTE, kind="note", cited=False)])
    asked(acme, elapsed_ms=300.0, hits=[hit(RUN)], outcome=Outcome.DEGRADED)
    asked(acme, intent="", elapsed_ms=20.0, hits=[], outcome=Outcome.REFUSED)
    asked(acme, action=REJECTED, outcome=Outcome.REFUSED)
    asked(acme, action=FAILED, outcome=Outcome.FAILED)
    found = report(acme)
    assert (found.looked.total, found.looked.looked_at, found.looked.whole) == (5, 5, True)
    today = rows(found, "intents")[-1]
    assert (today["performance"], today["unrecognised"]) == (2, 1)
    outcomes = rows(found, "outcomes")[-1]
    assert [outcomes[name] for name in ("Answered", "Degraded", "Refused", "Failed")] == [1, 1, 2, 1]
    latency = rows(found, "latency")[-1]
    assert (latency["p50, ms"], latency["p95, ms"], latency["Questions"]) == (100.0, 300.0, 3)
    kinds = {row["Kind"]: tuple(row.values())[1:] for row in rows(found, "kinds")}
    assert kinds == {"run": (3, 2, 2), "note": (0, 1, 0)}
    (document,) = rows(found, "documents")
    assert (document["Document"], document["Questions: cited"]) == ("document-1", 2)


def test_a_search_is_counted_for_what_it_is(acme: Firm) -> None:
    """By its intent and the kinds it reached; as no answer, and not in how long answers take."""
    asked(acme, action=contracts.SEARCHED, elapsed_ms=900.0, hits=[hit(RUN, cited=False)])
    asked(acme, elapsed_ms=100.0, hits=[hit(RUN)])
    found = report(acme)
    outcomes = rows(found, "outcomes")[-1]
    assert (outcomes["Answered"], outcomes["Searched"]) == (1, 1)
    assert rows(found, "intents")[-1]["performance"] == 2
    assert rows(found, "latency")[-1]["Questions"] == 1
    assert {row["Kind"]: tuple(row.values())[1:] for row in rows(found, "kinds")} == {"run": (2, 2, 1)}


def test_a_day_without_questions_is_a_row_of_zeros_and_has_no_latency(acme: Firm) -> None:
    asked(acme)
    found = report(acme)
    assert len(rows(found, "intents")) == 7
    assert rows(found, "intents")[0]["performance"] == 0
    assert rows(found, "latency")[0]["p95, ms"] is None


def test_more_questions_than_the_limit_are_said_to_be(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest are looked at, whatever the size of a batch; none twice."""
    monkeypatch.setattr(questions, "BATCH", 2)
    made = [asked(acme, intent=f"intent {number}") for number in range(7)]
    found = report(acme, limit=5)
    assert (found.looked.total, found.looked.looked_at) == (7, 5)
    assert found.looked.since == made[2].occurred_at
    assert rows(found, "intents")[-1] == {
        "Day": timezone.now().astimezone(UTC).date().isoformat(),
        **{f"intent {number}": 1 for number in range(2, 7)},
    }


def test_a_scope_has_the_questions_that_could_reach_it(acme: Firm) -> None:
    asked(acme, scopes=("fund:alpha",))
    asked(acme, scopes=("fund:alpha", "fund:beta"))
    assert report(acme, scope_id=acme.scopes["fund:beta"].id).looked.total == 1
    assert report(acme, scope_id=acme.scopes["fund:alpha"].id).looked.total == 2


def test_a_reader_counts_what_they_may_see(acme: Firm) -> None:
    make_member(acme, "bob", Role.AUDITOR, scopes=["fund:alpha"])
    asked(acme, scopes=("fund:alpha",), hits=[hit(RUN)])
    asked(acme, scopes=("fund:beta",), intent="secret", hits=[hit(NOTE)])
    page = Visitor("bob").open("audit_report")
    assert "Examined 1 of 1 question," in page.text
    assert "secret" not in page.text
    assert acme.scopes["fund:beta"].key not in page.text


def test_an_analyst_has_no_reports(acme: Firm) -> None:
    analyst = make_member(acme, "ann", Role.ANALYST)
    assert Visitor("ann").open("audit_report").status == 403
    assert Visitor("ann").send("audit_report", table="intents").status == 403
    with open_scope(tenant=acme.id, principal=analyst), pytest.raises(PermissionDeniedError):
        question_report(period())


def test_every_table_is_downloaded_with_the_figures_of_the_page(acme: Firm, ada: Visitor) -> None:
    asked(acme, hits=[hit(RUN)])
    page = ada.open("audit_report")
    sections = page.tree.xpath("//section[.//button[@name='table']]")
    assert len(sections) == 5
    for section in sections:
        (address,) = section.xpath(".//form/@action")
        (key,) = section.xpath(".//button/@value")
        asked(acme, intent="later", hits=[hit(NOTE)])  # after the page was made: in no file of it
        answer = ada.post(address, {"table": key})
        assert answer["Content-Type"].startswith("text/csv")
        told = list(csv.reader(io.StringIO(answer.content.decode())))
        shown = [
            ["" if text == "—" else text for text in (cell.text_content() for cell in row.xpath("./th|./td"))]
            for row in section.xpath(".//table//tr")
        ]
        assert told == shown
    with open_scope(tenant=acme.id, reason="a test"):
        taken = list(Event.objects.filter(action=REPORT_EXPORTED))
        assert {each["core"]["table"] for each in payloads_of(taken).values()} == {
            "intents",
            "outcomes",
            "latency",
            "kinds",
            "documents",
        }
    assert {each.actor_label for each in taken} == {"ada"}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"first": "2026-02-01", "last": "2026-01-01"}, "last"),
        ({"first": "2020-01-01", "last": "2026-01-01"}, "last"),
        ({"first": "soon"}, "first"),
        ({"step": "hour"}, "step"),
        ({"scope": str(uuid4())}, "scope"),
    ],
)
def test_a_period_that_makes_no_sense_is_refused_beside_its_field(
    ada: Visitor, query: dict[str, str], field: str
) -> None:
    page = ada.open("audit_report", **query)
    assert page.status == 400
    assert page.errors_of(field)


def test_an_unknown_table_is_not_downloaded(ada: Visitor, acme: Firm) -> None:
    assert ada.send("audit_report", table="x").status == 400
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Event.objects.filter(action=REPORT_EXPORTED).exists()


def test_a_week_begins_on_monday() -> None:
    weeks = Period(
        first=date(2026, 11, 4), last=date(2026, 11, 22), step=Step.WEEK, until=datetime.max.replace(tzinfo=UTC)
    )
    assert weeks.buckets == (date(2026, 11, 2), date(2026, 11, 9), date(2026, 11, 16))
    assert weeks.bucket(datetime(2026, 11, 15, 23, 59, tzinfo=UTC)) == date(2026, 11, 9)


@given(
    first=st.dates(date(2000, 1, 1), date(2030, 1, 1)),
    days=st.integers(0, 365),
    step=st.sampled_from(Step),
    share=st.floats(0, 1),
)
def test_every_instant_of_a_period_has_its_bucket(first: date, days: int, step: Step, share: float) -> None:
    whole = Period(first=first, last=first + timedelta(days=days), step=step, until=datetime(2100, 1, 1, tzinfo=UTC))
    last = whole.end - timedelta(microseconds=1)  # the end itself belongs to the next period
    assert whole.bucket(min(whole.start + (whole.end - whole.start) * share, last)) in whole.buckets


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.001, 1))
def test_a_percentile_is_the_smallest_value_that_covers_the_share(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert isinstance(found, float)
    exact = next(each for each in sorted(values) if sum(other <= each for other in values) >= share * len(values))
    assert found == pytest.approx(exact, abs=0.051)


def test_a_removed_core_counts_as_not_readable() -> None:
    tally = Tally(period(1))
    tally.add(action=ANSWERED, outcome="success", at=timezone.now(), core=None, hits=())
    intents = tally.tables()[0]
    assert intents.columns == ("Day", "not readable")
    assert intents.rows[0][1] == 1


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\uff1d1+1"])
def test_a_text_is_no_formula_in_a_spreadsheet(text: str) -> None:
    ((cell, number),) = csv.reader(io.StringIO(csv_bytes([[text, -1]]).decode(), newline=""))
    assert (cell, number) == (f"'{text}", "-1")


@pytest.mark.parametrize("parted", [";", "\t", "\n", "\r\n"])
def test_nor_where_other_signs_than_commas_part_cells(parted: str) -> None:
    """As a spreadsheet reads it that takes semicolons or tabs: the quotes do not stand where it looks for them."""
    written = csv_bytes([["a", f"x, y{parted}=HYPERLINK(1)", "z"]]).decode()
    cells = [cell for row in csv.reader(io.StringIO(written), delimiter=parted[-1].strip("\n") or ";") for cell in row]
    assert any("HYPERLINK" in cell for cell in cells)
    assert not [cell for cell in cells if cell.startswith("=")]
