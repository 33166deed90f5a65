"""Take a request to its end: check what is missing, propose, approve and follow the removal; or refuse or withdraw."""
