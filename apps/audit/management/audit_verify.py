"""`manage.py audit verify`: is the log what it was?

Ends with 0: intact; 1: it is not; 2: it could not be checked; 3: not proven, since a removal rests on events that no
signed checkpoint covers, or none was signed for long. The offline verifier ends alike.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.audit.verify.application import verify_tenant
from apps.audit.verify.findings import Result, VerificationReport
from apps.errors import ApplicationError
from apps.tenants.selectors.tenants import tenant_id_of

# Of each class; all are counted.
SHOWN: Final = 50


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("--tenant", help="verify, export: whose log, by its short name")
    parser.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="verify: against this checkpoint, kept outside the database"
    )
    parser.add_argument(
        "--since",
        nargs="?",
        const="",
        metavar="FILE",
        help="verify: only the events after the given checkpoint; export: only those after this checkpoint",
    )
    parser.add_argument(
        "--commitments-only",
        action="store_true",
        help="verify: decrypt nothing, only see what is there; export: without what the field groups say",
    )
    parser.add_argument("--json", action="store_true", help="verify: print the result as JSON")


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Raises CommandError, with the status that the command ends with."""
    if not options["tenant"]:
        raise CommandError("Name the tenant: --tenant NAME", returncode=2)
    if options["since"] is not None and not (options["checkpoint"] and not options["since"]):
        raise CommandError("--since goes with --checkpoint FILE, and takes no value of its own", returncode=2)
    try:
        note = options["checkpoint"].read_text(encoding="utf-8") if options["checkpoint"] else None
        report = verify_tenant(
            tenant=tenant_id_of(options["tenant"]),
            checkpoint=note,
            since=options["since"] is not None,
            contents=not options["commitments_only"],
        )
    except (ApplicationError, OSError, UnicodeDecodeError) as error:
        raise CommandError(f"It could not be checked: {error}", returncode=2) from error
    command.stdout.write(json.dumps(as_json(report), indent=2) if options["json"] else in_words(report))
    if report.result is Result.UNPROVEN:
        words = "rests in part on events that no signed checkpoint covers: see above. Run manage.py audit checkpoint"
        raise CommandError(f"The log of {options['tenant']} {words}, and verify again.", returncode=3)
    if report.result is Result.FAILED:
        raise CommandError(f"The log of {options['tenant']} is not what it was: see above.", returncode=1)


def as_json(report: VerificationReport) -> dict[str, Any]:
    """In the words of the offline verifier's."""
    return {
        "result": str(report.result),
        "tenant": str(report.tenant_id),
        "origin": report.origin,
        "first": report.first,
        "size": report.size,
        "root": None if report.root is None else report.root.hex(),
        "checkpoint": report.checkpoint,
        "covered": report.covered,
        "tail": report.tail,
        "contents": report.has_contents,
        "counts": {name: getattr(report.checked, name) for name in report.checked.__slots__},
        "totals": report.totals,
        "elapsed_s": round(report.elapsed_s, 3),
        "findings": [
            {
                "class": each.kind,
                "words": each.words,
                "leaf": each.index,
                "event": None if each.event_id is None else str(each.event_id),
                "group": each.group,
                "size": each.size,
            }
            for each in report.findings
        ],
    }


def in_words(report: VerificationReport) -> str:
    checked = report.checked
    lines = [
        f"Log {report.origin}: {report.size} leaves, verified from {report.first} in {report.elapsed_s:.1f} s",
        f"  {checked.checkpoints} checkpoints of its own, {checked.unsealed} events that wait to be sealed",
        f"  {checked.groups} field groups are there, {checked.opened} of them opened; {checked.removed} are gone",
    ]
    if not report.has_contents:
        lines.append("  Nothing was decrypted: whether the field groups are as recorded was not checked.")
    lines.append(
        "  No checkpoint was given: a log cut off at its end, or written anew as a whole, would not show."
        if report.checkpoint is None
        else f"  Against a checkpoint of {report.checkpoint} leaves"
    )
    lines.append(f"  Signed checkpoints cover {report.covered} leaves")
    if report.tail:
        lines.append(f"  Unsigned tail: {report.tail} leaves, from {report.size - report.tail} on, have none yet")
    shown: Counter[str] = Counter()
    for finding in report.findings:
        shown[finding.kind] += 1
        if shown[finding.kind] <= SHOWN:
            lines.append(str(finding))
    lines += [
        f"{kind:<22}and {count - min(shown[kind], SHOWN)} more"
        for kind, count in report.totals.items()
        if count > min(shown[kind], SHOWN)
    ]
    total = sum(report.totals.values())
    findings = f"{total} finding{'s' if total > 1 else ''}"
    lines.append(
        {
            Result.INTACT: "Intact.",
            Result.FAILED: f"FAILED: {findings}.",
            Result.UNPROVEN: f"NOT PROVEN: {findings}. Nothing contradicts itself.",
        }[report.result]
    )
    return "\n".join(lines)
