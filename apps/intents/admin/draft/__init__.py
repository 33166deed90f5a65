"""The editor of a draft of the policy, by page."""
