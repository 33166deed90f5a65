"""The stores that there are. An app registers its own in AppConfig.ready."""

from __future__ import annotations

from apps.audit.erasure.contracts import Store

_stores: dict[str, Store] = {}


def register_store(*stores: Store) -> None:
    for store in stores:
        known = _stores.get(store.key)
        if known is not None and type(known) is not type(store):
            raise ValueError(f"the store {store.key} is registered twice, differently")
        _stores[store.key] = store


def stores() -> tuple[Store, ...]:
    """In the order in which they are cleared."""
    return tuple(sorted(_stores.values(), key=lambda store: (store.phase, store.key)))
