"""Log lines as JSON, one object per line, each with the name of its request."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any, Final

from config.operations import request_id

# The fields of the access log. No other attribute of a record is written.
_ADDED: Final = ("method", "route", "status", "duration_ms")


class RequestFilter(logging.Filter):
    """Adds the request's name to each record for the formatter, on the thread that logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.current()
        return True


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        name = getattr(record, "request_id", "") or request_id.current()
        if name:
            line["request_id"] = name
        line |= {each: record.__dict__[each] for each in _ADDED if each in record.__dict__}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def logging_settings(*, as_json: bool, level: str, access: bool) -> dict[str, Any]:
    """Return Django's LOGGING.

    Args: access: whether each request is logged when it has been answered.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request": {"()": "config.operations.logs.RequestFilter"}},
        "formatters": {
            "line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"},
            "json": {"()": "config.operations.logs.JsonFormatter"},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "json" if as_json else "line",
                "filters": ["request"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "glassbox": {"level": "INFO"},
            "glassbox.access": {"level": "INFO" if access else "WARNING"},
        },
    }


def of_celery(logger: object = None, **_: object) -> None:
    """Make Celery's handlers write JSON too (after_setup_logger and after_setup_task_logger)."""
    for handler in logger.handlers if isinstance(logger, logging.Logger) else ():
        handler.setFormatter(JsonFormatter())
