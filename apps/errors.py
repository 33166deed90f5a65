"""The base class of every error that a user, an API client or a reader of the log sees."""

from __future__ import annotations

from typing import Any, ClassVar


class ApplicationError(Exception):
    """An expected failure with a stable code and a message that says what to do next.

    Subclasses set `code` (dotted, stable, part of the API), `status` (the HTTP status that the API answers with)
    and `message` (a format string over the keyword arguments). The arguments carry ids, names and numbers; never
    a document's or a question's text, since errors end up in logs.
    """

    code: ClassVar[str] = "application_error"
    status: ClassVar[int] = 400
    message: ClassVar[str] = "The request could not be carried out."

    def __init__(self, **data: Any) -> None:
        self.data = data
        super().__init__(self.message.format(**data))

    @property
    def detail(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Celery pickles exceptions between its processes. An exception with a keyword-only constructor can't be
        # unpickled without this method.
        return (_rebuild, (type(self), self.data))


def _rebuild(cls: type[ApplicationError], data: dict[str, Any]) -> ApplicationError:
    return cls(**data)
