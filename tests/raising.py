"""What a test expects to be raised, by its code: several codes may share a class."""

from __future__ import annotations

import pytest

from apps.errors import ApplicationError


def raises_code(code: str, match: str | None = None) -> pytest.RaisesExc[ApplicationError]:
    return pytest.raises(ApplicationError, match=match, check=lambda error: error.code == code)
