"""What every kind of provider shares: profiles, the check of residency, HTTP. It knows no kind, and no database.

A kind of provider (embedding, generation) adds its protocol, its profile, its errors, and the request and the reply.
"""
