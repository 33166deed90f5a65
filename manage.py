#!/usr/bin/env python3
"""Glassbox's command line. On a bare machine it first makes its own virtual environment; see config/bootstrap.py."""

import os
import sys


def main() -> None:
    # Before any import of ours, which an older Python could not even read.
    if sys.version_info < (3, 11):  # noqa: UP036 (it is for those who run it with an older one)
        sys.exit(
            "Glassbox needs Python 3.11 or newer and this is {}.{}. Install a newer one and run it by its name, "
            "for example: python3.11 manage.py {}".format(*sys.version_info[:2], " ".join(sys.argv[1:]) or "demo")
        )
    from config.bootstrap import ensure_environment

    command = sys.argv[1:2]
    ensure_environment(testing=command in (["test"], ["docs"]))
    if command == ["docs"]:
        from config.help.building import run as build_docs

        sys.exit(build_docs(sys.argv[2:]))
    if command == ["test"]:
        from config.testing import run

        sys.exit(run(sys.argv[2:]))
    if command == ["serve"]:
        from config.serving import serve

        serve(sys.argv[2:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")
    from django.core.management import execute_from_command_line

    from apps.errors import ApplicationError
    from config.startup import prepare_for

    try:
        prepare_for(sys.argv[1:])
        execute_from_command_line(sys.argv)
    except ApplicationError as error:
        # Settings that are missing, a service that can't start: one clear line (or a line each), no traceback.
        sys.exit(f"glassbox: {error}")


if __name__ == "__main__":
    main()
