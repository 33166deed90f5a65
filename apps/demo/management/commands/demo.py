"""`manage.py demo`: the whole product in one command, checked as it goes."""

from __future__ import annotations

import json
import sys
import time
from argparse import RawDescriptionHelpFormatter
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from rich.console import Console

from apps.demo.tour.access import DemoAccess
from apps.demo.tour.report import Report
from apps.demo.tour.run import run_tour
from apps.demo.tour.setup import set_up
from apps.errors import ApplicationError
from apps.tenants.management.served import ServedCommand
from config.processes import Platform, start_platform
from config.processes.platform import ToFiles
from config.startup import close_connections

_EXAMPLES = """
examples:
  manage.py demo                       the tour, then a server until Ctrl-C
  manage.py demo --port 9000
  manage.py demo --no-serve --json     one JSON object; exit status 1 if a check failed
"""


class Command(ServedCommand):
    help = (
        "Sets up two fictional firms, puts their documents through the worker, asks questions over HTTP, checks every "
        "claim (exit status 1 if one does not hold), and serves. From the second run on it takes seconds."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="the first one to try (default: 8000)")
        parser.add_argument("--no-serve", action="store_true", help="end after the tour")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of the tour")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        # The tour may be long and is watched: it goes to the terminal, and with --json out of the document's way.
        report = Report(Console(file=sys.stderr if options["json"] else sys.stdout))
        try:
            access_path = settings.GLASSBOX_HOME / "demo.json"
            access = DemoAccess.load(access_path)
            with report.step("Setting up two firms, their people and keys"):
                set_up(access)
                access.save(access_path)
            with report.step("Starting web, workers and beat"):
                platform = start_platform(
                    port=options["port"],
                    search=True,
                    emit=ToFiles(settings.GLASSBOX_HOME / "log"),
                    web_processes=1,
                )
            with platform, ExitStack() as stack:
                stack.callback(close_connections)
                result = run_tour(base_url=platform.base_url, access=access, report=report)
                elapsed_s = time.monotonic() - began
                if options["json"]:
                    self.stdout.write(json.dumps(result.as_json(elapsed_s=elapsed_s), ensure_ascii=False, indent=2))
                else:
                    report.tour(result, elapsed_s=elapsed_s)
                if not options["no_serve"]:
                    self._serve(platform, access, report)
        except ApplicationError as error:
            raise CommandError(str(error)) from error
        if not result.ok:
            sys.exit(1)

    def _serve(self, platform: Platform, access: DemoAccess, report: Report) -> None:
        report.addresses(platform.base_url, access)
        platform.serve()
