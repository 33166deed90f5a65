-- What holds and restrictions keep from happening (the policies of corpus ask), and who releases a hold.

-- Three questions that policies ask, once a statement, for roles that may not read the tables; of the open scope's
-- scopes alone, since the answer is a list of ids that whoever has SQL can call for.

CREATE FUNCTION restricted_documents() RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scopes uuid[] := authz.scopes();
BEGIN
    RETURN ARRAY(SELECT DISTINCT r.document_id FROM public.audit_restriction r WHERE r.scope_id = ANY (scopes));
END
$$;

-- The same, and none for who decides about them.
CREATE FUNCTION hidden_documents() RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scopes uuid[];
BEGIN
    IF authz.may('privacy.manage') OR authz.may('privacy.approve') THEN
        RETURN '{}';
    END IF;
    scopes := authz.scopes();
    RETURN ARRAY(SELECT DISTINCT r.document_id FROM public.audit_restriction r WHERE r.scope_id = ANY (scopes));
END
$$;

CREATE FUNCTION held_documents() RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scopes uuid[] := authz.scopes();
BEGIN
    RETURN ARRAY(SELECT DISTINCT r.document_id FROM public.audit_restriction r
                  WHERE r.scope_id = ANY (scopes) AND r.because = 'hold');
END
$$;
REVOKE ALL ON FUNCTION restricted_documents(), hidden_documents(), held_documents() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION restricted_documents(), hidden_documents(), held_documents()
    TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser;
GRANT SELECT ON audit_legalhold, audit_helditem, audit_restriction TO glassbox_remover, glassbox_eraser;

-- One person releases a hold, in their own name.
CREATE TRIGGER zz_second_person_released_by BEFORE INSERT OR UPDATE ON audit_legalhold
    FOR EACH ROW EXECUTE FUNCTION tenants_second_person('', 'released_by');
