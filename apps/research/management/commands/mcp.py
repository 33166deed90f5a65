"""`manage.py mcp`: an MCP server over stdio, for programs that start one."""

from __future__ import annotations

import os
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from apps.errors import ApplicationError
from apps.research.doors.mcp.asking import Api, HttpApi, OwnApi
from apps.research.doors.mcp.server import make_server
from apps.tenants.registry import pass_gates

_KEY: Final = "GLASSBOX_KEY"
_THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Command(BaseCommand):
    help = (
        "Serves the tools ask, search, facts and verify over stdin and stdout. Takes the API key from GLASSBOX_KEY, or "
        "from a file.\n\n"
        "Example: GLASSBOX_KEY=gbx_... manage.py mcp --url https://glassbox.example.com"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("--url", help="the installation to ask; without it, this process answers itself")
        parser.add_argument("--key-file", type=Path, help="a file with the API key, in the place of GLASSBOX_KEY")

    def handle(self, *args: Any, **options: Any) -> None:
        key = _key(options["key_file"])
        api: Api
        if options["url"]:
            api = HttpApi(_address(options["url"]), key)
        else:
            try:
                pass_gates()
            except ApplicationError as error:
                raise CommandError(error.detail, returncode=2) from error
            api = OwnApi.with_key(settings.GLASSBOX_URL, key)
        anyio.run(_serve, make_server(api))


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _address(url: str) -> str:
    """Raises: CommandError: it is no address to which the key may be sent."""
    try:
        split = urlsplit(url)
        host, _ = split.hostname, split.port
    except ValueError as error:
        raise CommandError(f"--url is no address: {error}.") from error
    if split.scheme not in ("http", "https") or not host:
        raise CommandError("--url takes the address of an installation, such as https://glassbox.example.com.")
    if "@" in split.netloc:
        raise CommandError("Leave the name and the password out of --url. The key alone says who asks.")
    if split.scheme == "http" and host not in _THIS_MACHINE:
        raise CommandError("Use https: over http, others on the way can read the key.")
    return url


def _key(file: Path | None) -> str:
    """Raises: CommandError: there is none. It is no argument: others on the machine can read those."""
    if file is not None:
        try:
            return file.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"The key can't be read from {file}: {type(error).__name__}.") from error
    key = os.environ.get(_KEY, "").strip()
    if not key:
        raise CommandError(f"Set {_KEY} to an API key, or name a file that has it with --key-file.")
    return key
