"""The operators' view of the platform: whether it is alive and ready, which release it is, what it does and how fast.

middleware      the addresses for machines, before any middleware that could delay them
requests        around every request: its name, its time, its line in the access log
request_id      one name for a request and everything that it sets off
logs            log lines as JSON
metrics         what the web processes count; platform_state: what is read when /metrics is requested
"""
