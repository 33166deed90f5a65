from __future__ import annotations

from django.apps import AppConfig


class ErasureConfig(AppConfig):
    name = "apps.erasure"
    label = "erasure"
    verbose_name = "Erasure"

    def ready(self) -> None:
        from apps.erasure.contracts import TargetType
        from apps.erasure.events import offer_events, register_removal_events
        from apps.erasure.holds.events import register_hold_events
        from apps.erasure.holds.items import EventParts
        from apps.erasure.holds.selectors import held, held_within
        from apps.erasure.personal_data.declared import classify_declared
        from apps.erasure.proof.of_the_log import register_looked_for_here
        from apps.erasure.registry import register_items, register_obstacle
        from apps.erasure.retention.baseline import give_baseline
        from apps.erasure.retention.events import register_retention_events
        from apps.erasure.runs.closing import no_scope_below_a_closed_one
        from apps.erasure.searched.log import register_texts
        from apps.erasure.stores.declared import register_stores
        from apps.erasure.watching import register_watches
        from apps.tenants.registry import register_before_scope, register_on_tenant_created

        register_texts()
        register_retention_events()
        register_removal_events()
        register_looked_for_here()
        register_hold_events()
        offer_events()
        register_items(TargetType.EVENT_GROUP, EventParts())
        register_obstacle(held, within=held_within)
        register_watches()
        register_stores()
        classify_declared()
        register_on_tenant_created(give_baseline)
        register_before_scope(no_scope_below_a_closed_one)
