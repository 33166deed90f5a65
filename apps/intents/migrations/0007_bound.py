"""Comments, and their authors' names, are the eraser's only where an executing run covers them."""

from django.db import migrations

from apps.tenants.eraser_operations import ChangeOnlyTargets, named

_WHOLE = f"tenant_id {named('tenant')}"


class Migration(migrations.Migration):
    dependencies = [("intents", "0006_tenant_end"), ("audit", "0019_bound")]

    operations = [
        ChangeOnlyTargets(
            "ReviewComment",
            deletes=_WHOLE,
            empties=f"{_WHOLE} OR author_id {named('user')}",
            leaves="author_label = ''",
        ),
    ]
