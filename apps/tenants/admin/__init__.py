"""The admin's foundation, and the pages of tenants, scopes, members and keys."""

from django.contrib import admin
from django.contrib.auth.models import Group

from apps.tenants.admin import api_key, membership, scope, tenant, user

__all__ = ["api_key", "membership", "scope", "tenant", "user"]

# Rights come from memberships.
if admin.site.is_registered(Group):
    admin.site.unregister(Group)
