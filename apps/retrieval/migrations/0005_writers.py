"""Who writes what a reviewer judges a policy by: the platform its figures, who edits policies the questions.

By tenant and scope alone any member could have written them. A person only asks for an impact, by a row without a
result.
"""

from django.db import migrations

from apps.tenants.rights import RUNTIME_ROLES
from apps.tenants.server_times import ServerTimes

_ROLES = ", ".join(RUNTIME_ROLES)
_EDIT = "(SELECT authz.may('policy.edit'))"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"
_ASK = f"({_EDIT} OR (SELECT authz.may('policy.approve')))"
_ASKED = f"({_PLATFORM} OR ({_ASK} AND state = 'queued' AND result = '{{}}'))"
# Table -> who inserts, who changes and into what, who removes.
_WRITERS = {
    "retrieval_evaluationrun": (_PLATFORM, _PLATFORM, _PLATFORM, _PLATFORM),
    "retrieval_evaluationanswer": (_PLATFORM, _PLATFORM, _PLATFORM, _PLATFORM),
    "retrieval_evaluationquery": (_EDIT, _EDIT, _EDIT, _EDIT),
    "retrieval_policyimpact": (_ASKED, f"({_PLATFORM} OR {_ASK})", _ASKED, _PLATFORM),
}


def _forward(table: str) -> str:
    insert, update, updated, delete = _WRITERS[table]
    return "".join(
        f"CREATE POLICY writers_{command} ON {table} AS RESTRICTIVE FOR {command.upper()} TO {_ROLES} {clause};\n"
        for command, clause in (
            ("insert", f"WITH CHECK ({insert})"),
            ("update", f"USING ({update}) WITH CHECK ({updated})"),
            ("delete", f"USING ({delete})"),
        )
    )


def _backward(table: str) -> str:
    return "".join(f"DROP POLICY writers_{command} ON {table};\n" for command in ("insert", "update", "delete"))


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0004_evaluation"), ("tenants", "0008_server_times")]

    operations = [
        migrations.RunSQL(sql="".join(map(_forward, _WRITERS)), reverse_sql="".join(map(_backward, _WRITERS))),
        ServerTimes("EvaluationQuery", begins=("created_at",)),
    ]
