"""What the database itself holds of decisions that go along to a redacted version. Part of migration 0020_carried.

The platform decides nothing. What it may write of a place that it finds is what was decided of another one already:
cleared, for the same request, by that person, then, with that reason, in the version that this one was made of. Whoever
decides again does so in their own name, and of this place alone.
"""

OF_PLACES = (
    (
        "NEW.decision <> 'open' OR NEW.words IS NOT NULL OR NEW.quoting <> '' OR NEW.hidden IS NOT NULL",
        """NEW.quoting <> '' OR NEW.hidden IS NOT NULL
                OR (NEW.decision <> 'open' OR NEW.words IS NOT NULL OR NEW.carried_from_id IS NOT NULL) AND NOT EXISTS (
                SELECT FROM public.audit_inventoryhit o
                  JOIN public.audit_inventorytreatment t ON t.tenant_id = o.tenant_id AND t.document_id = o.target_id
                 WHERE o.tenant_id = NEW.tenant_id AND o.id = NEW.carried_from_id AND o.request_id = NEW.request_id
                   AND o.decision = 'cleared' AND o.target_type = 'document' AND NEW.target_type = 'document'
                   AND t.treatment = 'redact' AND t.redacted_id = NEW.target_id
                   AND (o.decision, o.reason, o.decided_by_id, o.decided_at, o.store, o.part, o.char_end - o.char_start)
                     = (NEW.decision, NEW.reason, NEW.decided_by_id, NEW.decided_at, NEW.store, NEW.part,
                        NEW.char_end - NEW.char_start)
                   AND o.page IS NOT DISTINCT FROM NEW.page AND (o.words IS NULL) = (NEW.words IS NULL))""",
    ),
    (
        "'the platform alone finds, and decides nothing'",
        "'the platform alone finds, and says of a place only what was decided of it before'",
    ),
    (
        "ARRAY['decision', 'reason', 'words', 'quoting', 'hidden', 'decided_by_id', 'decided_at']",
        "ARRAY['decision', 'reason', 'words', 'quoting', 'hidden', 'decided_by_id', 'decided_at', 'carried_from_id']",
    ),
    (
        "OR (NEW.decision <> 'open' AND NOT coalesce(authz.acts_as(NEW.decided_by_id), false))",
        "OR NEW.carried_from_id IS NOT NULL\n"
        "            OR (NEW.decision <> 'open' AND NOT coalesce(authz.acts_as(NEW.decided_by_id), false))",
    ),
)
