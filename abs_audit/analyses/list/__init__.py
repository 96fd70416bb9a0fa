"""`list`: which benchmarks does the suite have?"""
