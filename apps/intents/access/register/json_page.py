"""A page of an answer as JSON."""

from __future__ import annotations

from typing import Any

from apps.intents.access.contracts import Subject
from apps.intents.access.register.asking import Register
from apps.intents.access.register.contracts import Mode
from apps.intents.access.register.lines import ChangedLine, Line, Places, changed_lines, lines
from apps.intents.access.register.words import notes, summary


def register_json(register: Register, *, first: int, limit: int) -> dict[str, Any]:
    """Return a page of the answer as one JSON object. first: how many lines come before it."""
    question, filters = register.question, register.question.filters
    is_change = question.mode is Mode.CHANGES
    return {
        "sentence": summary(register),
        "mode": question.mode.value,
        "since": question.since.isoformat(),
        "until": question.until.isoformat() if question.until else None,
        "answered_at": register.history.read_at.isoformat(),
        "tenant": register.history.tenant.slug,
        "role": filters.role.value if filters.role else None,
        "scope": register.scope.key if register.scope else None,
        "kind": filters.kind or None,
        "document": _document(register),
        "policies": [
            {
                "version": each.snapshot.number,
                "version_id": str(each.snapshot.version_id),
                "content_sha256": each.sha256,
                "valid_from": each.valid_from.isoformat(),
                "valid_to": each.valid_to.isoformat() if each.valid_to else None,
                "reaches": [{"intent": r.name, "kinds": [kind.value for kind in r.kinds]} for r in each.reaches],
            }
            for each in register.versions
        ],
        "policy_changes": [
            {"intent": name, "gained": gained, "kinds": [kind.value for kind in kinds]}
            for name, gained, kinds in register.policy_changes
        ],
        "profile_changes": list(register.profile_changes),
        "log": {"size": register.history.log_size, "root_hash": register.history.log_root},
        "notes": list(notes(register)),
        "total": register.rows,
        "next": first + limit if first + limit < register.rows else None,
        "rows": [_line_json(each) for each in lines(register, register.spans[first : first + limit])],
        "changes": [
            _changed_json(each)
            for each in changed_lines(register, register.changes[first : first + limit] if is_change else ())
        ],
    }


def _document(register: Register) -> dict[str, Any] | None:
    if (document := register.document) is None:
        return None
    scope = register.history.names.get(document.scope_id)
    return {
        "id": str(document.id),
        "title": document.title,
        "kind": document.kind,
        "scope": scope.key if scope else None,
        "received_at": document.received_at.isoformat(),
        "published_at": document.published_at.isoformat() if document.published_at else None,
        "gone_at": document.gone_at.isoformat() if document.gone_at else None,
    }


def _line_json(line: Line) -> dict[str, Any]:
    return {
        **_subject(line.subject),
        "roles": line.roles,
        "since": line.since.isoformat() if line.since else None,
        "until": line.until.isoformat() if line.until else None,
        "asks": _places(line.asks),
        "opens": _places(line.opens),
        "reaches": [{"intent": name, "kinds": list(kinds)} for name, kinds in line.reaches],
    }


def _changed_json(line: ChangedLine) -> dict[str, Any]:
    return {
        **_subject(line.subject),
        "roles_before": line.roles_before,
        "roles_after": line.roles_after,
        "gained_asks": _places(line.gained_asks),
        "gained_opens": _places(line.gained_opens),
        "lost_asks": _places(line.lost_asks),
        "lost_opens": _places(line.lost_opens),
    }


def _subject(subject: Subject) -> dict[str, Any]:
    return {"kind": subject.kind.value, "id": str(subject.id), "name": subject.name, "label": subject.label}


def _places(found: Places) -> dict[str, Any]:
    return {"scopes": [scope.key for scope in found.names], "hidden": found.hidden}
