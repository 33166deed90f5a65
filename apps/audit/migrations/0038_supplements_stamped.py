"""When a supplement was issued is the server's to say, as of a certificate."""

from django.db import migrations

from apps.tenants.stamping import Stamp


class Migration(migrations.Migration):
    dependencies = (("audit", "0037_origins_within_tenant"),)

    operations = (Stamp("Supplement", issued_at="made"),)
