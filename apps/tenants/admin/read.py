"""What a form says that its reader had before them: a decision is about that, and nothing that came since."""

from __future__ import annotations

import re
from typing import Final, Protocol
from uuid import UUID

_NUMBER: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
NOTHING: Final = UUID(int=0)


class Posted(Protocol):
    """What of Django's QueryDict is needed."""

    def getlist(self, key: str, /) -> list[str]: ...


def number_read(post: Posted, name: str = "revision") -> int:
    """0, which nothing has, where the post holds none."""
    value = "".join(post.getlist(name)[-1:])
    return int(value) if _NUMBER.fullmatch(value) else 0


def id_read(post: Posted, name: str) -> UUID:
    """NOTHING where the post holds none."""
    try:
        return UUID("".join(post.getlist(name)[-1:]))
    except ValueError:
        return NOTHING
