"""Answer requests for access (Article 15) of people named in documents: from confirmed places to a sealed package."""
