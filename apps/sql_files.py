"""Read the SQL statements that lie in a file beside the module that runs them.

`sparse.sql` beside `sparse.py` holds statements, each below a line such as `-- name: bm25`. Lines that are only a
comment are not sent. Parameters and placeholders are those of Django and psycopg. A module reads its file once, when it
is imported. What makes the schema lies in a room's folder `sql/` instead, and migrations run it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT: Final = re.compile(r"^ *--.*\n", re.MULTILINE)


def read_statements(module: str) -> Mapping[str, str]:
    """Return the statements that lie beside a module, by name. Each ends with a line's end, so that they can be joined.

    Args:    module: the module's `__file__`.
    Raises:  ValueError: a statement has no name or no text, or two have the same name.
    """
    path = Path(module).with_suffix(".sql")
    before, *parts = _NAME.split(path.read_text(encoding="utf-8"))
    statements = {
        name: _COMMENT.sub("", text).strip() + "\n" for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    if _COMMENT.sub("", before).strip() or "\n" in statements.values() or 2 * len(statements) != len(parts):
        raise ValueError(f"{path}: every statement needs a text, and a name of its own")
    return statements
