"""What `manage.py demo` does with the content: set up, put in, ask, check, tell.

access     who may log in, kept between runs
setup      tenants, scopes, people and keys; repeating it changes nothing
client     the API over HTTP
asking     the questions and their answers
checks     what the demo claims, verified
report     the tour in words, or as one JSON object
"""
