"""What `manage.py demo` does with the content: set up, upload, ask, check and report.

access     the people who may sign in, and their passwords and keys, kept between runs
setup      tenants, scopes, people and keys; repeating it changes nothing
client     the API over HTTP
asking     the questions and their answers
checks     what the demo claims, verified
run        the whole tour, and its result as one JSON object
report     the tour in words
"""
