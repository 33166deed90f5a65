"""Web, workers, beat and the embedded services together, in one terminal."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.errors import ApplicationError
from config.processes import choose_port, start_platform
from config.processes.platform import to_terminal
from config.startup import prepare


class Command(BaseCommand):
    help = "Starts web, workers, beat and the embedded services together; one Ctrl-C stops all."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name,
            subcommand,
            epilog="Example: python3 manage.py up --port 8080",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **kwargs,
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: %(default)s)")
        parser.add_argument("--web", type=int, default=2, metavar="N", help="web processes (default: %(default)s)")
        parser.add_argument(
            "--worker", type=int, default=1, metavar="N", help="long tasks at the same time (default: %(default)s)"
        )
        parser.add_argument(
            "--ingest", type=int, default=2, metavar="N", help="documents at the same time (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            # Asked for before anything is started, and taken when it is needed.
            port = choose_port(options["port"], host=options["host"])
            prepare()
            platform = start_platform(
                host=options["host"],
                port=port,
                web_processes=options["web"],
                worker_processes=options["worker"],
                ingest_processes=options["ingest"],
                emit=to_terminal(sys.stdout),
            )
            self.stdout.write(f"\nGlassbox is up: {platform.base_url}/admin/\nCtrl-C stops it.\n\n")
            platform.serve()
        except ApplicationError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Interrupted; everything has been stopped.", returncode=130) from None
