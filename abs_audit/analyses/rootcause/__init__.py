"""`rootcause`: which commit made a benchmark slow, and where? (Heger, Happe & Farahbod 2013)"""
