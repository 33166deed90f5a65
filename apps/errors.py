"""The base class of every error that a user, an API client or a reader of the log sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


class CodedError(ApplicationError):
    """One of several failures that nobody catches apart, each with a code of its own.

    Subclasses set `kinds`: the HTTP status and the message of each code.
    """

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {}

    def __init__(self, code: str, **data: Any) -> None:
        status, message = self.kinds[code]
        # In the instance, before what other errors have in their class.
        vars(self).update(code=code, status=status, message=message)
        super().__init__(**data)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), {"code": self.code, **self.data}))


def kinds_of(error: type[ApplicationError]) -> Iterator[tuple[str, int, str]]:
    """Yield the code, the HTTP status and the message of each kind of failure that the class tells of."""
    if issubclass(error, CodedError):
        yield from ((code, status, message) for code, (status, message) in error.kinds.items())
    else:
        yield error.code, error.status, error.message


def _rebuild(cls: type[ApplicationError], data: dict[str, Any]) -> ApplicationError:
    return cls(**data)
