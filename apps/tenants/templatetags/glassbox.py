"""The display functions for templates: `{% load glassbox %}`."""

from __future__ import annotations

from django import template

from apps.tenants import display

register = template.Library()

register.filter("moment", display.moment)
register.filter("ago", display.ago)
register.filter("identifier", display.identifier)
register.filter("pill", display.pill)
register.filter("byte_size", display.byte_size)
