"""An operation in the OpenAPI document, as its view declares it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema

from apps.tenants.api.deprecation import Deprecated, described


class ApiSchema(AutoSchema):
    """An operation as its view declares it, with what of it is deprecated."""

    def is_deprecated(self) -> bool:
        return self._deprecated() is not None

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        for parameter in operation.get("parameters", []):
            told = getattr(self.view, "deprecated_parameters", {}).get(parameter["name"])
            if told is not None and parameter["in"] == "query":
                parameter["deprecated"] = True
                parameter["description"] = f"{parameter.get('description', '')} {told.sentence}".strip()
        told = self._deprecated()
        if told is not None:
            operation["description"] = f"**{told.sentence}**\n\n{operation.get('description', '')}".strip()
            for response in operation["responses"].values():
                headers = response.setdefault("headers", {})
                headers.update(described(sunset=told.sunset is not None))
        return operation

    def _deprecated(self) -> Deprecated | None:
        found: Deprecated | None = getattr(self.view, "deprecated", {}).get(self.method)
        return found
