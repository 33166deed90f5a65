"""One file of the watched folder: what it says, and taking it in as a record or a data profile."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.corpus.description import InvalidFieldError
from apps.corpus.errors import IngestError
from apps.corpus.extraction.record_file import RecordType, exact_json
from apps.corpus.services.ingest.manifest import printable
from apps.corpus.services.ingest.metadata import metadata_from_row
from apps.corpus.services.records.profile import profile_upsert
from apps.corpus.services.records.upsert import RecordResult, record_upsert
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from config.strict_json import InvalidJsonError

_ABOUT: Final = frozenset({"title", "company", "ticker", "period", "published_on", "language", "jurisdictions"})
_NAMES: Final = frozenset({"source", "external_id", "kind", "type", "record"}) | _ABOUT


class UnusableFileError(IngestError):
    """Data: reason (as a sentence)."""

    code = "corpus.record_file_unusable"
    message = "{reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """Whose the records of a folder are, as its operator says."""

    tenant_id: TenantId
    scope_id: ScopeId
    kind: str
    source: str
    reason: str


def store_file(content: bytes, name: str, belonging: Belonging) -> RecordResult:
    """Take in one file. Raises: UnusableFileError; what record_upsert and profile_upsert raise."""
    stem, suffix = os.path.splitext(name)
    if suffix.lower() == ".csv":

        def store() -> RecordResult:
            return profile_upsert(
                content=content,
                filename=name,
                source=belonging.source,
                external_id=stem,
                scope_id=belonging.scope_id,
                kind=belonging.kind,
            )

    elif suffix.lower() == ".json":
        said = _said(content)

        def store() -> RecordResult:
            return record_upsert(
                type=_type(said),
                source=_text(said, "source", belonging.source),
                external_id=_text(said, "external_id", stem),
                body=said["record"],
                scope_id=belonging.scope_id,
                kind=_text(said, "kind", belonging.kind),
                metadata=_metadata(said),
            )

    else:
        raise UnusableFileError(reason="Its name ends with neither .json (a record) nor .csv (a data profile).")
    with open_scope(tenant=belonging.tenant_id, scopes=[belonging.scope_id], reason=belonging.reason):
        return store()


def _said(content: bytes) -> Mapping[str, Any]:
    try:
        said = exact_json(content.removeprefix(b"\xef\xbb\xbf"))
    except InvalidJsonError as error:
        raise UnusableFileError(reason=f"It is not valid JSON: {error}.") from None
    if not isinstance(said, dict) or not {"type", "record"} <= said.keys():
        raise UnusableFileError(reason='It must be an object with at least "type" and "record".')
    if unknown := sorted(printable(name)[:60] for name in said.keys() - _NAMES):
        raise UnusableFileError(reason=f"It has unknown names: {', '.join(unknown[:5])}.")
    return said


def _type(said: Mapping[str, Any]) -> RecordType:
    known = [type.value for type in RecordType if type is not RecordType.DATA_PROFILE]
    if said["type"] not in known:
        reason = f'"type" is none of {", ".join(known)}. A data profile is made of a .csv file.'
        raise UnusableFileError(reason=reason)
    return RecordType(said["type"])


def _text(said: Mapping[str, Any], name: str, otherwise: str) -> str:
    value = said.get(name, otherwise)
    if type(value) is not str:
        raise UnusableFileError(reason=f'"{name}" must be a text.')
    return value


def _metadata(said: Mapping[str, Any]) -> Any:
    about = {name: value for name, value in said.items() if name in _ABOUT}
    for name, value in about.items():
        parts = value if isinstance(value, list) and name == "jurisdictions" else [value]
        if any(type(part) is not str or printable(part) != part for part in parts):
            raise UnusableFileError(reason=f'"{name}" must be a text on one line.')
    try:
        return metadata_from_row(about, filename="")
    except InvalidFieldError as error:
        raise UnusableFileError(reason=error.detail) from error
