"""Requests for access (Article 15) of people who are named in documents: from confirmed places to a sealed package."""
