"""Events of evaluation questions and previews are bound to these; times are the server's from the start."""

from django.db import migrations, models
from django.db.models.functions import Now

from apps.audit.recorded_operations import ToldOf
from apps.tenants.stamping import Stamp

_MADE = (("evaluationquery", "created_at"),)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0005_writers"), ("audit", "0033_event_bindings"), ("tenants", "0015_one_stamp")]

    operations = [
        *(
            migrations.AlterField(
                model_name=model, name=column, field=models.DateTimeField(db_default=Now(), editable=False)
            )
            for model, column in _MADE
        ),
        # Which questions a preview looks at, and whose it is, is asked of the log from this time on.
        Stamp("PolicyImpact", requested_at="time"),
        ToldOf("EvaluationQuery", "id", "created_at"),
        ToldOf("PolicyImpact", "version_id", "requested_at"),
    ]
