"""The compliance profile of a policy version: what is not answered at all, and what every answer must say."""
