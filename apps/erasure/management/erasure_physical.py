"""`manage.py erasure physical`: what only the server's administrator can do for an erasure, before it and after it.

It needs ADMIN_DATABASE_URL, or the embedded server, of which `manage.py up` runs one with --watch. Nothing else of the
platform is given that access.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.erasure.management.erasure_facts import run_named
from apps.erasure.models import RestorationState
from apps.erasure.proof.errors import ProverBusyError
from apps.erasure.proof.passes import Patience, Went
from apps.erasure.proof.prover import is_anything_due, prove_due
from apps.erasure.residue.access import access_from_settings
from apps.errors import ApplicationError
from config.needs import Process, child_environment

ROLE: Final = "glassbox_eraser"
_LOOKS_EVERY_S: Final = 1.0  # one query; an erasure waits for it twice


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--now", action="store_true", help="physical: also outside the hours of GLASSBOX_ERASURE_WINDOW."
    )
    parser.add_argument(
        "--watch", action="store_true", help="physical: continue, checking every few seconds, until stopped."
    )


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Raises: CommandError: something waits that could not be done, or the access is missing."""
    if settings.GLASSBOX_DB_ROLE != ROLE:
        _run_as_eraser(command, options)
        return
    if options["watch"]:
        _watch(command)
    try:
        went = prove_due(access_from_settings(), only=run_named(options), at_once=options["now"], again=True)
    except (ApplicationError, psycopg.Error) as error:
        raise CommandError(_said(error)) from error
    command.stdout.write(_told(went))
    if went.restored.get(RestorationState.FAILED):
        raise CommandError("Data that a restore brought back is on the disk: the certificates' page says where.")
    if went.waiting:
        raise CommandError("Some still wait: their pages say for what.")


def _watch(command: BaseCommand) -> None:
    """For ever. What fails is told and tried again; whoever kills it loses nothing."""
    patience = Patience()
    access = access_from_settings()
    while True:
        try:
            if is_anything_due():
                went = prove_due(access, patience=patience)
                if went.prepared or went.ended or went.restored:
                    command.stdout.write(_told(went))
        except ProverBusyError:
            pass  # whoever has it does the same
        except Exception as error:  # noqa: BLE001 - a server that restarts must not end it
            command.stderr.write(f"not now: {_said(error)}")
        time.sleep(_LOOKS_EVERY_S)


def _told(went: Went) -> str:
    ended = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(went.ended.items()))
    restored = ", ".join(f"{count} {state}" for state, count in sorted(went.restored.items()))
    after = f" after a restore: {restored};" if restored else ""
    return f"{went.prepared} prepared; ended: {ended or 'none'};{after} {went.waiting} wait."


def _said(error: BaseException) -> str:
    """Not a database's message, which may quote a row."""
    return str(error) if isinstance(error, ApplicationError) else type(error).__name__


def _run_as_eraser(command: BaseCommand, options: Mapping[str, Any]) -> None:
    arguments = [sys.executable, str(settings.BASE_DIR / "manage.py"), "erasure", "physical"]
    arguments += [f"--{name}" for name in ("now", "watch") if options[name]]
    arguments += [str(options["what"])] if options["what"] else []
    result = subprocess.run(
        arguments, env=child_environment(Process.PROVER), capture_output=True, text=True, check=False
    )
    command.stdout.write(result.stdout, ending="")
    if result.returncode:
        raise CommandError(result.stderr.strip() or f"{ROLE} could not do it", returncode=result.returncode)
