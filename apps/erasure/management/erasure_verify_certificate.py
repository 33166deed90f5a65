"""`manage.py erasure verify-certificate FILE`: whether a certificate is what it claims to be. Asks no database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.erasure.certificate import manifest
from apps.erasure.certificate.after_restore import is_supplement, restored_line, restored_lines, supplements_in
from apps.erasure.certificate.checking import checked, holds, redacted_of, strictly_parsed, unproven_code
from apps.erasure.certificate.still_standing import standing_lines
from apps.erasure.contracts import Target, TargetType
from apps.errors import ApplicationError
from config.log_keys import verify_keys

_LARGEST_BYTES: Final = 64 << 20


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--log-key",
        action="append",
        metavar="KEY",
        help="verify-certificate: a public key as `manage.py audit log-key` prints it, obtained elsewhere. Without "
        "it, the keys that this installation knows.",
    )
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="TYPE:ID[:PART]",
        help="verify-certificate: check whether this was among the targets, such as document:0199....",
    )


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Raises: CommandError: it does not hold, or can't be read."""
    if not options["what"]:
        raise CommandError("Name the certificate file: manage.py erasure verify-certificate FILE.")
    path = Path(options["what"])
    document = _read(path)
    try:
        keys = verify_keys(None, options["log_key"]) if options["log_key"] else settings.GLASSBOX_LOG_VERIFY_KEYS
    except ApplicationError as error:
        raise CommandError("--log-key must be name+mark+key, as manage.py audit log-key prints it.") from error
    checks = checked(document, keys)
    for check in checks:
        command.stdout.write(f"{'holds' if check.holds else 'FAILS'}  {check.label}")
        if check.problem:
            command.stdout.write(f"       {check.problem}")
    listed = set(document.get("targets", ())) if isinstance(document, dict) else set()
    lacking = [text for text in options["target"] if manifest.leaf_of(_target(text)).hex() not in listed]
    for text in options["target"]:
        command.stdout.write(f"{'is not' if text in lacking else 'is'} among the targets: {text}")
    if not holds(checks):
        raise CommandError("This certificate does not hold: see what fails above.")
    if lacking:
        raise CommandError("The certificate holds, but says nothing about what you asked.")
    command.stdout.write("The certificate holds.")
    for line in (*standing_lines(document["certificate"].get("standing") or ()), *_restored(document)):
        command.stdout.write(line)
    if redacted := redacted_of(document):
        counted = "1 document stays" if len(redacted) == 1 else f"{len(redacted)} documents stay"
        command.stdout.write(f"It says that {counted} in a redacted version, without the passages that were erased:")
        for each in redacted:
            command.stdout.write(f"  {each}")
    if code := unproven_code(document):
        command.stdout.write(
            f"It says that NO physical proof was made ({code}): every store counted zero; the disk was not searched."
        )


def _restored(document: Any) -> list[str]:
    """What became of it after restores."""
    body = document["certificate"]
    if is_supplement(body):
        return [f"{run['run']}: {restored_line(body, run)}" for run in body["runs"]]
    return restored_lines(supplements_in(document), run=body["run"])


def _read(path: Path) -> Any:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise CommandError(f"{path} is too large to be a certificate.")
        return strictly_parsed(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path} can't be read: {error.strerror}.") from error
    except ValueError as error:
        raise CommandError(f"{path} is not a certificate: it is not JSON, or is ambiguous.") from error


def _target(text: str) -> Target:
    kind, _, rest = text.partition(":")
    id, _, part = rest.partition(":")
    try:
        return Target(type=TargetType(kind), id=UUID(id), part=part)
    except ValueError as error:
        raise CommandError(f"--target {text}: write type:id, such as document:0199c1c4-....") from error
