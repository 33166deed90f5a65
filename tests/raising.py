"""What a test expects to be raised, by its code: several codes may share a class."""

from __future__ import annotations

import pytest

from apps.errors import ApplicationError


def raises_code(*codes: str, match: str | None = None) -> pytest.RaisesExc[ApplicationError]:
    """Expect an error of one of these codes."""
    return pytest.raises(ApplicationError, match=match, check=lambda error: error.code in codes)
