"""Print the tour: the steps as they happen, then the questions, what was found, and whether the checks passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from apps.demo.tenants import DEMO_TENANTS
from apps.demo.tour.access import PEOPLE, DemoAccess
from apps.demo.tour.asking import AskedQuestion

if TYPE_CHECKING:
    from apps.demo.tour.run import TourResult


class Report:
    def __init__(self, console: Console) -> None:
        self._console = console

    @contextmanager
    def step(self, words: str) -> Iterator[None]:
        self._console.print(Text(f"{words} ..."), style="dim")
        yield

    @contextmanager
    def progress(self, words: str, *, total: int) -> Iterator[Callable[[int], None]]:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._console) as progress:
            task = progress.add_task(words, total=total)
            yield lambda done: progress.update(task, completed=done)

    def tour(self, result: TourResult, *, elapsed_s: float) -> None:
        for firm in DEMO_TENANTS:
            held = result.documents[firm.slug]
            kinds = len({document["kind"] for document in held})
            self._console.rule(Text(firm.name, style="bold"))
            self._console.print(
                f"{len(held)} documents of {kinds} kinds, {sum(d['chunk_count'] for d in held)} passages; "
                f"data stays in {firm.residency_region}{', strictly' if firm.residency_strict else ''}."
            )
            for asked in result.asked:
                if asked.firm is firm:
                    self._console.print(_answer(asked, result))
        self._console.print(_verdict(result, elapsed_s))

    def addresses(self, base_url: str, access: DemoAccess) -> None:
        table = Table("sign in as", "password", "who that is", title="Serving until Ctrl-C")
        for person in PEOPLE:
            roles = " and ".join(str(role.label) for role in person.roles)
            table.add_row(person.username, Text(access.password_of(person)), roles)
        self._console.print(table)
        lines = {
            "admin": f"{base_url}/admin/",
            "ask, glass box": f"{base_url}/admin/ask/",
            "API": f"{base_url}/api/v1/docs/",
            **{f"key of {slug}": key for slug, key in access.client_keys.items()},
        }
        for name, value in lines.items():
            self._console.print(Text.assemble((f"{name:<20}", "dim"), value), soft_wrap=True)


def _answer(asked: AskedQuestion, result: TourResult) -> Panel:
    body = asked.body
    checks = [check for check in result.checks if check.name.startswith(f"{asked.firm.slug}/{asked.question.name}:")]
    broken = [check for check in checks if not check.ok]
    text = Text()
    text.append(f"{body['answer']}\n", style="yellow" if body["refused"] else "bold")
    for citation in body["citations"]:
        text.append(f"  {citation['document']['title']}, page {citation['page']}\n", style="dim")
    kinds = ", ".join(body["kinds"]["permitted"]) or "nothing"
    text.append(f"intent {body['intent']['name']}, may reach {kinds}; policy version {body['policy_version']}\n")
    # Several stages may do without the same thing, and say so in the same words.
    for message in dict.fromkeys(degradation["message"] for degradation in body["degraded"]):
        text.append(f"degraded: {message}\n", style="yellow")
    text.append(f"{asked.question.note}\n", style="italic")
    for check in broken:
        text.append(f"✗ {check.name} {check.detail}\n", style="red")
    text.append(f"{len(checks) - len(broken)} of {len(checks)} claims hold, {body['elapsed_ms']:.0f} ms, ", style="dim")
    text.append(f"event {body['audit_event_id']}", style="dim")
    return Panel(text, title=Text(asked.question.text), title_align="left", border_style="red" if broken else "green")


def _verdict(result: TourResult, elapsed_s: float) -> Text:
    broken = [check for check in result.checks if not check.ok]
    if not broken:
        return Text(f"✓ All {len(result.checks)} claims hold. {elapsed_s:.0f} s.", style="bold green")
    text = Text(f"✗ {len(broken)} of {len(result.checks)} claims do not hold. {elapsed_s:.0f} s.\n", style="bold red")
    for check in broken:
        text.append(f"  {check.name} {check.detail}\n", style="red")
    return text
