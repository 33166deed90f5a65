from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        from django.core import checks

        from apps.audit.backup.checks import served_check
        from apps.audit.backup.gate import refuse_unless_served
        from apps.audit.backup.opening import open_where_nothing_is_erased
        from apps.audit.classes import register_tenant_events
        from apps.audit.classes_table import event_classes_check, write_event_classes
        from apps.audit.erasure.closing import no_scope_below_a_closed_one
        from apps.audit.erasure.contracts import Origin, TargetType
        from apps.audit.erasure.events import register_removal_events
        from apps.audit.erasure.log_store import EventPartStore
        from apps.audit.erasure.proof.looked_for import register_given_texts
        from apps.audit.erasure.proof.of_the_log import register_looked_for_here
        from apps.audit.erasure.registry import (
            register_after_removal,
            register_before_removal,
            register_listener,
            register_obstacle,
            register_release_hook,
            register_store,
        )
        from apps.audit.erasure.runs import runs_take_up, runs_waiting
        from apps.audit.erasure.searched_log import register_texts_of_these_floors
        from apps.audit.erasure_stores import register_stores
        from apps.audit.holds.events import register_hold_events
        from apps.audit.holds.items import EventParts, register_items
        from apps.audit.holds.selectors import held, held_within
        from apps.audit.holds.waiting import register_waiting
        from apps.audit.inventory.events import register_inventory_events
        from apps.audit.inventory.restricting import kept_by_requests
        from apps.audit.personal_data import classify_audit
        from apps.audit.reporting.events import register_reporting_events
        from apps.audit.requests.events import register_request_events
        from apps.audit.requests.looked_for import texts_given
        from apps.audit.requests.services.proposing import request_follows
        from apps.audit.retention.baseline import give_baseline
        from apps.audit.retention.events import register_retention_events
        from apps.audit.services import record
        from apps.audit.subject_access.registering import register_subject_access
        from apps.audit.tombstones.writing import tombstone_close, tombstone_write
        from apps.audit.watching import register_watches
        from apps.audit.webhooks.events import register_webhook_events
        from apps.audit.webhooks.offering import offer_of_these_floors
        from apps.tenants import events
        from apps.tenants.management.served import register_gate
        from apps.tenants.provisioning import on_migrated, on_scope_create, on_tenant_created

        register_tenant_events()
        register_reporting_events()
        register_texts_of_these_floors()
        register_retention_events()
        register_removal_events()
        register_store(EventPartStore())
        register_release_hook(runs_take_up)
        register_waiting(runs_waiting)
        register_looked_for_here()
        register_hold_events()
        register_items(TargetType.EVENT_GROUP, EventParts())
        register_obstacle(held, within=held_within)
        register_obstacle(kept_by_requests)
        register_request_events()
        register_inventory_events()
        register_webhook_events()
        offer_of_these_floors()
        register_listener(Origin.REQUEST, request_follows)
        register_given_texts(Origin.REQUEST, texts_given)
        events.connect(record)
        register_watches()
        register_stores()
        classify_audit()
        register_before_removal(tombstone_write)
        register_after_removal(tombstone_close)
        on_migrated(open_where_nothing_is_erased)
        on_migrated(write_event_classes)
        checks.register(event_classes_check, checks.Tags.database)
        checks.register(served_check, checks.Tags.database)
        register_gate(refuse_unless_served)
        register_subject_access()
        on_tenant_created(give_baseline)
        on_scope_create(no_scope_below_a_closed_one)
