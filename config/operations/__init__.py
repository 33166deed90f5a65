"""What those who run the platform ask of it: is it alive, is it ready, which release, what does it do and how fast.

middleware      the addresses, before anything that could keep them waiting
requests        around every request: its name, its time, its line in the access log
request_id      one name for a request through all that it sets off
logs            lines of JSON
metrics         what the web processes count; platform_state: what is looked up when they are asked
"""
