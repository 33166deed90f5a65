"""One's own notices: what happened to policy versions that one wrote or may review."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from apps.intents.services.notices import count_unread, notice_read, notices_read_all, own_notices
from apps.tenants.admin.base import require
from apps.tenants.admin.frame import frame
from apps.tenants.roles import Permission

_TITLE: Final = "Notices"
_SHOWN: Final = 200


@require_http_methods(["GET", "HEAD", "POST"])
def notices_view(request: HttpRequest) -> HttpResponse:
    """The newest notices; a POST marks all of them as read."""
    require(request, Permission.POLICY_VIEW)
    if request.method == "POST":
        notices_read_all()
        messages.success(request, "All notices are marked as read.")
        return HttpResponseRedirect(reverse("admin:notices"))
    return frame(
        request,
        "glassbox/notices.html",
        title=_TITLE,
        notices=list(own_notices()[:_SHOWN]),
        unread=count_unread(),
        shown=_SHOWN,
    )


@require_POST
def notice_open_view(request: HttpRequest, notice_id: UUID) -> HttpResponse:
    """Mark a notice as read, and go to the page of its version."""
    require(request, Permission.POLICY_VIEW)
    notice = notice_read(notice_id)
    return HttpResponseRedirect(reverse("admin:policy_review", args=[notice.version_id]))
