"""What goes along with a target: the documents in a scope, the parts of the log that concern a document or a person.

Frozen with the run, so that whoever approves it sees what goes, a hold on each of them is respected by itself, and
nothing is left over because its scope or document was gone before somebody asked what it had been part of.
"""

from __future__ import annotations

from collections.abc import Sequence

from apps.erasure.contracts import Target, TargetType
from apps.erasure.registry import contents_of
from apps.erasure.runs.concerning import event_groups_of
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from apps.tenants.selectors.grants import subtree


def expanded(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The targets with everything that goes along with them, each once; expanding that again adds nothing.

    Of a scope: those below it, the documents in all of them, and the parts of events that concern the scopes or the
    documents. Of a tenant: its documents. Its log goes as a whole, by one event (tenant_log.py), and not part by part:
    there may be millions. Of a document or a person: the parts of events that concern them.

    It finds what the open scope sees. What lies in scopes that are not open goes with its scope or tenant all the same.

    Costs: a query each for scopes and documents; reads the tenant's log once, but for a tenant.
    """
    whole = contents_of({*targets, *_scopes_below(targets)})
    if not any(target.type is TargetType.TENANT for target in whole):
        whole.update(event_groups_of(sorted(whole)))
    return tuple(sorted(whole))


def _scopes_below(targets: Sequence[Target]) -> set[Target]:
    roots = [ScopeId(target.id) for target in targets if target.type is TargetType.SCOPE]
    if not roots:
        return set()
    tree = [
        (ScopeId(id), ScopeId(parent) if parent else None)
        for id, parent in Scope.objects.values_list("id", "parent_id")
    ]
    return {Target(type=TargetType.SCOPE, id=id) for id in subtree(roots, tree)}
