"""`redundancy`: which benchmarks watch what others watch too?"""
