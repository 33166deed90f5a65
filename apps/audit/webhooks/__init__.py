"""Webhooks tell a tenant's own programs of events: endpoints, deliveries, attempts."""
