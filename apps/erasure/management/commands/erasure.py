"""`manage.py erasure`: what concerns removing personal data, from a shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser

from apps.erasure.management import erasure_facts, erasure_physical, erasure_registry, erasure_verify_certificate
from apps.tenants.management.served import ServedCommand


class Command(ServedCommand):
    free_actions = frozenset({"registry", "verify-certificate", "certificate-verifier"})
    help = (
        "registry: lists what every column and every other store holds about people, and what clears it. physical: "
        "prepares the erasures that wait for it, and afterwards verifies them on the disk. verify-certificate: "
        "checks whether a certificate's file is what it claims to be. certificate-verifier: prints the program that "
        "checks it without this installation. certificate RUN: prints the newest certificate of a run, as the file "
        "that is handed out. tenants: lists the tenants that were erased. show RUN: shows what a removal run was to "
        "remove, and the result."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=[*_ACTIONS])
        parser.add_argument(
            "what",
            nargs="?",
            metavar="RUN|FILE",
            help="show, certificate, physical: a run's id; verify-certificate: the file.",
        )
        erasure_registry.add_arguments(parser)
        erasure_physical.add_arguments(parser)
        erasure_verify_certificate.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        _ACTIONS[str(options["action"])](self, options)


# An action is a module of apps/audit/management, with add_arguments and run.
_ACTIONS: Final[Mapping[str, Callable[[BaseCommand, Mapping[str, Any]], None]]] = {
    "registry": erasure_registry.run,
    "physical": erasure_physical.run,
    "verify-certificate": erasure_verify_certificate.run,
    "certificate": erasure_facts.certificate,
    "certificate-verifier": erasure_facts.certificate_verifier,
    "show": erasure_facts.show,
    "tenants": erasure_facts.tenants,
}
