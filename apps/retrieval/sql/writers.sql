-- Who writes what a reviewer judges a policy by: the platform its figures, who edits policies the questions.
--
-- By tenant and scope alone any member could write them. A person only asks for an impact, by a row without a result.

CREATE POLICY writers_insert ON retrieval_evaluationrun AS RESTRICTIVE FOR INSERT TO glassbox_api, glassbox_worker
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY writers_update ON retrieval_evaluationrun AS RESTRICTIVE FOR UPDATE TO glassbox_api, glassbox_worker
    USING ((SELECT authz.may('glassbox.platform'))) WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY writers_delete ON retrieval_evaluationrun AS RESTRICTIVE FOR DELETE TO glassbox_api, glassbox_worker
    USING ((SELECT authz.may('glassbox.platform')));

CREATE POLICY writers_insert ON retrieval_evaluationanswer AS RESTRICTIVE FOR INSERT TO glassbox_api, glassbox_worker
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY writers_update ON retrieval_evaluationanswer AS RESTRICTIVE FOR UPDATE TO glassbox_api, glassbox_worker
    USING ((SELECT authz.may('glassbox.platform'))) WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY writers_delete ON retrieval_evaluationanswer AS RESTRICTIVE FOR DELETE TO glassbox_api, glassbox_worker
    USING ((SELECT authz.may('glassbox.platform')));

CREATE POLICY writers_insert ON retrieval_evaluationquery AS RESTRICTIVE FOR INSERT TO glassbox_api, glassbox_worker
    WITH CHECK ((SELECT authz.may('policy.edit')));
CREATE POLICY writers_update ON retrieval_evaluationquery AS RESTRICTIVE FOR UPDATE TO glassbox_api, glassbox_worker
    USING ((SELECT authz.may('policy.edit'))) WITH CHECK ((SELECT authz.may('policy.edit')));
CREATE POLICY writers_delete ON retrieval_evaluationquery AS RESTRICTIVE FOR DELETE TO glassbox_api, glassbox_worker
    USING ((SELECT authz.may('policy.edit')));

CREATE POLICY writers_insert ON retrieval_policyimpact AS RESTRICTIVE FOR INSERT TO glassbox_api, glassbox_worker
    WITH CHECK (
        (SELECT authz.may('glassbox.platform'))
        OR ((SELECT authz.may('policy.edit')) OR (SELECT authz.may('policy.approve')))
           AND state = 'queued' AND result = '{}'
    );
CREATE POLICY writers_update ON retrieval_policyimpact AS RESTRICTIVE FOR UPDATE TO glassbox_api, glassbox_worker
    USING (
        (SELECT authz.may('glassbox.platform'))
        OR ((SELECT authz.may('policy.edit')) OR (SELECT authz.may('policy.approve')))
    )
    WITH CHECK (
        (SELECT authz.may('glassbox.platform'))
        OR ((SELECT authz.may('policy.edit')) OR (SELECT authz.may('policy.approve')))
           AND state = 'queued' AND result = '{}'
    );
CREATE POLICY writers_delete ON retrieval_policyimpact AS RESTRICTIVE FOR DELETE TO glassbox_api, glassbox_worker
    USING ((SELECT authz.may('glassbox.platform')));
