"""What a policy version would change: the comparison as pure functions, and the job that computes it.

    claim -> [plan: both policies, what is to be judged, in one transaction]
          -> [a batch of recorded questions, or one question under one policy, in one transaction each]
          -> [finish: the result and its event, in one transaction]

It is computed as the system over all scopes, and read by people who may hold fewer: a result is ids and figures.
"""
