"""Compute what a policy version would change: the comparison as pure functions, and the job that runs it.

    claim -> [plan: both policies, what is to be judged, in one transaction]
          -> [a batch of recorded questions, or one question under one policy, in one transaction each]
          -> [finish: the result and its event, in one transaction]

The system computes it over all scopes, and people who may hold fewer scopes read it, so a result holds only ids and
figures.
"""
