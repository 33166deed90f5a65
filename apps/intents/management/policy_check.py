"""`manage.py policy check`: test a policy's classifier on its golden examples, from a shell and in CI."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.protocol import EmbeddingProvider
from apps.corpus.providers.registry import provider_for
from apps.corpus.providers.tenant import tenant_provider
from apps.errors import ApplicationError
from apps.intents.check import GoldenCheck, golden_check
from apps.intents.contracts import PolicySnapshot
from apps.intents.desk import cannot_classify
from apps.intents.errors import PolicyFileError
from apps.intents.models import VersionStatus
from apps.intents.policy_file.checking import checked_policy_file
from apps.intents.policy_file.parsing import parse_policy_file
from apps.intents.policy_file.references import described, file_text, needs_tenant, policy_named
from apps.intents.scoring import Vector
from apps.intents.services.golden import golden_vectors
from apps.intents.tables import check_tables, check_verdict
from apps.intents.validation import policy_problems
from apps.tenants.context import open_scope
from apps.tenants.selectors.tenants import tenant_id_of
from apps.tenants.short_scopes import ShortScopes, current_short_scopes

EXAMPLES: Final = """\
  manage.py policy check --tenant meridian
  manage.py policy check --tenant meridian --version 4
  manage.py policy check --tenant meridian --terms-only --json
  manage.py policy check --file policy.py
"""
"""For the epilog of the command that this is a part of."""

_PROFILE: Final = "local"
"""The embedding profile of what is no tenant's: the bundled model, on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A policy, what keeps it from being used, and how well it recognises; check is None where it can't be tried.

    name: for the reader. number: None for what is no version of a tenant.
    """

    name: str
    number: int | None
    version_id: str | None
    problems: tuple[str, ...]
    snapshot: PolicySnapshot | None = None
    check: GoldenCheck | None = None

    @property
    def unreachable(self) -> tuple[str, ...]:
        """Intents that have examples, none of which is recognised as theirs."""
        if self.check is None or self.snapshot is None:
            return ()
        expected = {cell.expected for cell in self.check.confusion}
        reached = {cell.expected for cell in self.check.confusion if cell.expected == cell.given}
        return tuple(rule.name for rule in self.snapshot.intents if rule.name in expected - reached)

    @property
    def failure(self) -> str:
        """Why the check is not passed, in a line or two; empty for one that is."""
        parts = []
        if self.problems:
            parts.append(f"{self.name} can't be used: {_counted(len(self.problems), 'problem')}, named above.")
        parts += [f"None of the examples of intent '{name}' is recognised as its own." for name in self.unreachable]
        if self.check is not None and not self.check.passed:
            parts.append(check_verdict(self.check))
        return " ".join(parts)


def add_arguments(parser: ArgumentParser) -> None:
    """All that `check` takes, the tenant included."""
    parser.add_argument("--tenant", default="", help="the tenant's short name; not needed for a file and the baseline")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--version",
        default="active",
        metavar="REF",
        help="a version's number (also a draft's), a date or time (the version in force then), active, baseline, or "
        "a file; by default the version in force",
    )
    which.add_argument(
        "--file", default="", help="a policy file; with --tenant its examples are sent to that tenant's model"
    )
    parser.add_argument("--terms-only", action="store_true", help="check as if no embedding provider could be reached")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables and words")


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Print the check. Raises CommandError (exit status 1): problems, below the bar, or it can't be made."""
    reference = options["file"] or options["version"]
    try:
        checked = _check(options, reference)
    except ProviderError as error:
        raise CommandError(f"{error.detail} To check only the terms, add --terms-only.") from error
    except ApplicationError as error:
        raise CommandError(error.detail) from error
    if options["json"]:
        command.stdout.write(json.dumps(_json(checked), ensure_ascii=False, indent=2))
    else:
        command.stdout.write(_words(checked))
    if checked.failure:
        raise CommandError(checked.failure)


def _check(options: Mapping[str, Any], reference: str) -> Checked:
    is_file = bool(options["file"]) or (reference != "baseline" and not needs_tenant(reference))
    versioned = not is_file and reference != "baseline"
    if versioned and not options["tenant"]:
        raise CommandError("A version, a date or active belongs to one tenant: add --tenant, or name a --file.")
    acting = _tenant_scopes(options["tenant"]) if options["tenant"] else None
    with acting.open() if acting else nullcontext():
        if is_file:
            text = file_text(reference)
            problems = _file_problems(text, reference)
            try:
                snapshot = parse_policy_file(text, filename=reference)
            except PolicyFileError:
                return Checked(name=reference, number=None, version_id=None, problems=problems)
        else:
            snapshot = policy_named(reference)
            problems = policy_problems(snapshot)
        unusable = cannot_classify(snapshot)
        provider = tenant_provider() if acting and not (unusable or options["terms_only"]) else None
    check = None
    if not unusable:
        # Outside of any scope: the provider may take its time, and a request is in the log before it is sent.
        vectors = None if options["terms_only"] else _vectors(snapshot, provider, acting, versioned=versioned)
        check = golden_check(snapshot, vectors)
    return Checked(
        name=described(reference, snapshot),
        number=snapshot.number if versioned else None,
        version_id=str(snapshot.version_id) if versioned else None,
        problems=problems or ((unusable,) if unusable else ()),
        snapshot=snapshot,
        check=check,
    )


def _tenant_scopes(slug: str) -> ShortScopes:
    with open_scope(tenant=tenant_id_of(slug), reason="manage.py policy check"):
        return current_short_scopes()


def _file_problems(text: str, filename: str) -> tuple[str, ...]:
    """All that is wrong with a file, each with its line and column."""
    try:
        checked_policy_file(text, filename=filename)
    except PolicyFileError as error:
        return tuple(str(problem) for problem in error.data["problems"])
    return ()


def _vectors(
    snapshot: PolicySnapshot, provider: EmbeddingProvider | None, acting: ShortScopes | None, *, versioned: bool
) -> Vector:
    """Of a tenant's version as answers use them, kept with it; of anything else made anew, and kept nowhere.

    Args: provider, acting: the tenant's; None without a tenant.
    """
    if versioned and snapshot.status != VersionStatus.DRAFT and provider and acting:
        return golden_vectors(snapshot=snapshot, provider=provider, tenant_id=acting.tenant_id)
    # A draft is its author's alone: nothing is written beside it.
    used = provider or _local_provider()
    return np.asarray(used.embed_documents([example.text for example in snapshot.examples]), dtype=np.float32)


def _local_provider() -> EmbeddingProvider:
    """Return the bundled model. An installation may have put a service in its place, to which nothing may be sent from
    here: there is no tenant's log to record it in."""
    found = provider_for(_PROFILE, tenant_region=settings.GLASSBOX_REGION, tenant_strict=False)
    if found.profile.is_remote:
        raise CommandError(
            f"The embedding profile {_PROFILE} is a service elsewhere, and a request to it is recorded in a tenant's "
            "log. Add --tenant, or --terms-only."
        )
    return found


def _words(checked: Checked) -> str:
    """What was checked, its problems, the matrix and the verdict."""
    console = Console()
    with console.capture() as capture:
        console.print(f"Checked: {checked.name}", highlight=False, markup=False)
        for problem in checked.problems:
            console.print(f"  problem: {problem}", highlight=False, markup=False)
        if checked.check is not None and checked.snapshot is not None:
            for renderable in (*check_tables(checked.check, checked.snapshot), check_verdict(checked.check)):
                console.print(renderable)
    return capture.get()


def _json(checked: Checked) -> dict[str, Any]:
    body: dict[str, Any] = {
        "policy": checked.name,
        "version": checked.number,
        "version_id": checked.version_id,
        "passed": not checked.failure,
        "problems": list(checked.problems),
        "unreachable": list(checked.unreachable),
    }
    check = checked.check
    if check is not None:
        body |= {
            "terms_only": check.degraded,
            "examples": check.examples,
            "correct": check.correct,
            "accuracy": round(check.accuracy, 4),
            "minimum_accuracy": check.minimum_accuracy,
            "confusion": [
                {"expected": cell.expected, "given": cell.given, "examples": cell.examples} for cell in check.confusion
            ],
            "misclassified": [
                {"text": row.text, "expected": row.expected, "given": row.given, "reason": row.reason}
                for row in check.misclassified
            ],
        }
    return body


def _counted(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"
