"""Requests that run as they stand, for the OpenAPI document. The test suite takes each of them and runs it.

`{base}` becomes the address that the document was fetched from. The reader sets GLASSBOX_KEY, and where a request is
about one thing, its id: DOCUMENT_ID, JOB_ID, EVENT_ID, VERSION_ID, CERTIFICATE_ID, ENTITY_KEY,
SCOPE, RECORD_ID, MEMBER_ID, INVITATION_ID, KEY_ID, SCOPE_ID. What no key may do is sent with SESSION and CSRF:
cookies of a browser that is signed in.
"""

from __future__ import annotations

from typing import Any

EXTENSION = "x-codeSamples"
# Names of further problems that an operation answers with; openapi.py turns them into responses.
PROBLEMS_EXTENSION = "x-problems"


def sample(*commands: str) -> dict[str, Any]:
    """The extension that documentation tools show beside an operation; openapi.py puts it into the description too.

    Args: commands: shell, one a string, with `{base}` for scheme and host.
    """
    return {EXTENSION: [{"lang": "Shell", "label": "curl", "source": command} for command in commands]}
