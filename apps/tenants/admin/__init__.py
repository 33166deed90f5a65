"""The admin's foundation, and the pages of tenants, scopes, members and keys."""

from django.contrib import admin
from django.contrib.auth.models import Group

from apps.tenants.admin import api_key, membership, scope, tenant, user
from apps.tenants.admin.my_account import MY_ACCOUNT_PAGES
from apps.tenants.admin.my_keys import MY_KEYS_PAGES
from apps.tenants.admin.second_factor import SECOND_FACTOR_PAGES
from apps.tenants.admin.switcher import tenant_switch
from config.admin_site import add_page

__all__ = ["api_key", "membership", "scope", "tenant", "user"]

# Rights come from memberships.
if admin.site.is_registered(Group):
    admin.site.unregister(Group)

add_page("tenant/", tenant_switch, name="tenant_switch")
for route, view, name in (*MY_KEYS_PAGES, *SECOND_FACTOR_PAGES, *MY_ACCOUNT_PAGES):
    add_page(route, view, name=name)
