"""Addresses of these pages. Only the address in the letter contains the link's secret, which moves to the session."""

from __future__ import annotations

from django.urls import path

from apps.tenants.entry import invitation, mailbox, password
from apps.tenants.entry.session import keep_secret

urlpatterns = [
    path("invitation/", invitation.invitation_view, name="invitation"),
    path("invitation/<str:secret>/", keep_secret("invitation"), name="invitation_link"),
    path("password/", password.ask_view, name="password_ask"),
    path("password/set/", password.set_view, name="password_set"),
    path("password/set/<str:secret>/", keep_secret("password_set"), name="password_link"),
    path("mailbox/", mailbox.confirm_view, name="mailbox"),
    path("mailbox/<str:secret>/", keep_secret("mailbox"), name="mailbox_link"),
]
