"""`rootcause`: which commit made a benchmark slow, and where? (Heger, Happe & Farahbod 2013)

`commits` decides what to measure next and which commit it was, `measuring` measures, `calls` says where.
"""
