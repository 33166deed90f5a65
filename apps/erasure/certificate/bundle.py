"""A certificate with the program that checks it, as one file to hand out."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final

PROGRAM: Final = "verify_certificate.py"
_SOURCE: Final = Path(__file__).with_name("offline.py")
_README: Final = """{name}   the certificate, signed; it names nobody
verify_certificate.py   the program that checks it; it needs Python 3.9 or later and nothing from this installation

    python verify_certificate.py {name} --key KEY

with the public key of the log (its operator prints it with manage.py audit log-key), obtained separately from
this file: whoever could have changed the certificate could have changed a key that came along, and this program, too.
To check whether an item was among those removed: --target document:ID.
Exit status 0: it holds; 1: it does not; 2: not checked.
"""


def verifier() -> str:
    """The program, to be written to a file of its own."""
    return _SOURCE.read_text(encoding="utf-8")


def written(document: dict[str, Any]) -> str:
    """The certificate as it is handed out."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def bundle(document: dict[str, Any], *, name: str) -> bytes:
    """A .zip of the certificate, its verifier, and how to use it. Args: name: of the certificate's file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, written(document))
        archive.writestr(PROGRAM, verifier())
        archive.writestr("README.txt", _README.format(name=name))
    return packed.getvalue()
