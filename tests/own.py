"""A word of this process alone.

A physical proof reads the server's whole WAL, in which the suite's other processes write as well: what such a test
erases, and looks for, must stand in no text of theirs.
"""

from __future__ import annotations

import secrets
from typing import Final

OWN: Final = secrets.token_hex(4)
