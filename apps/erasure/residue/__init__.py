"""What is left of removed things on the disk: have it forgotten (physical), and look for it everywhere (scan).

needles, encodings, distinctive    what is looked for
access, places, redis_places       where
matching, carving, compression, wal, scanning, results    looking
control                            the proof that looking finds
plan, physical, wal_turnover       having it forgotten
"""
