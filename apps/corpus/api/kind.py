"""The field that names a kind of document in requests: its key, which the firm's policy defines."""

from __future__ import annotations

from typing import Any, Final

from rest_framework import serializers

from apps.corpus.kinds import KIND_KEY

FORM: Final = "Lower-case letters, digits and _, at most 32; begin with a letter."


class KindKeyField(serializers.RegexField):
    def __init__(self, **options: Any) -> None:
        # Without `$`, which would let a line break pass at the end.
        super().__init__(
            KIND_KEY.removesuffix("$") + r"\Z",
            max_length=32,
            trim_whitespace=False,
            error_messages={"invalid": FORM},
            **options,
        )
