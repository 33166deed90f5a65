"""Run a recorded question again, under the policy and over the document versions of that time."""
