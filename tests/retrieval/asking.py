"""A firm that can be asked, and short ways to ask it in the admin."""

from __future__ import annotations

from django.utils import timezone

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.intents.contracts import RecordingMode
from apps.intents.models import VersionStatus
from apps.intents.services.versions import policy_version_activate
from apps.retrieval.events import ANSWERED
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_firm, make_member, make_user
from tests.intents.steps import acting, draft, step
from tests.visitor import Page, Visitor

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
ALPHA = b"""# Alpha Fund, fourth quarter

## Performance

The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %. It recovered within five weeks.

## Operations

Bob said: <script>alert("x")</script> is not a figure & never was.
"""
BETA = b"# Beta Fund, fourth quarter\n\nThe maximum drawdown of the Beta Fund in the fourth quarter was 3.3 %.\n"
RULES = b"# Compliance profile\n\nA drawdown above 20 % is reported to the board by Charlie within a day.\n"
ALL = ["firm:acme", "fund:alpha", "fund:beta"]
_FILES = (
    (ALPHA, "alpha.md", "fund:alpha", "run"),
    (BETA, "beta.md", "fund:beta", "run"),
    (RULES, "rules.md", "firm:acme", "compliance_profile"),
)


def make_acme() -> Firm:
    """A report for each fund, a rule of the firm; Alice may ask and read the log, Bob asks for the fund alpha."""
    firm = make_firm("acme")
    for content, name, scope, kind in _FILES:
        run(firm, ingest(firm, content, filename=name, scope=scope, kind=kind).job)
    make_member(firm, "alice", Role.COMPLIANCE_OFFICER)
    make_member(firm, "bob", Role.ANALYST, scopes=["fund:alpha"])
    return firm


def ask(visitor: Visitor, question: str = QUESTION, scopes: list[str] | None = None) -> Page:
    """Ask, and follow to the answer's own page, as a browser does."""
    sent = visitor.send("ask", question=question, scopes=ALL if scopes is None else scopes)
    is_answered = sent.status == 302 and sent.location.startswith("/admin/ask/")
    return Page(visitor.get(sent.location)) if is_answered else sent


def events(firm: Firm, action: str = ANSWERED) -> list[Event]:
    with open_scope(tenant=firm.id, reason="a test"):
        found = list(Event.objects.filter(action=action).order_by("occurred_at"))
        for event, told in zip(found, payloads_of(found).values(), strict=True):
            event.__dict__["payload"] = told
        return found


def steps(page: Page) -> dict[str, str]:
    """What each step of the way says, by stage."""
    found = page.tree.xpath("//li[contains(@class, 'ask-step')]")
    return {step.get("id").removeprefix("step-"): " ".join(step.text_content().split()) for step in found}


def keep_history(firm: Firm, days: int, *, mode: RecordingMode = RecordingMode.HASH_ONLY) -> None:
    """A second version of the policy, in force, that keeps answers for so many days, and texts in the log by mode."""
    alice, bob = make_user("author"), make_user("approver")
    with open_scope(tenant=firm.id, reason="a test"):
        version = draft(author=alice)
        with acting(alice):
            version.retrieval_settings = {**version.retrieval_settings, "history_days": days}
            version.save(update_fields=["retrieval_settings"])
            version.intents.update(recording_mode=mode.value)
            step(version, status=VersionStatus.IN_REVIEW)
        with acting(bob, Role.REVIEWER):
            step(
                version,
                status=VersionStatus.APPROVED,
                approver=bob,
                approver_label="bob",
                effective_from=timezone.now(),
            )
        policy_version_activate(version)
