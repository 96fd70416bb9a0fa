"""`compare`: which benchmarks changed between two recorded results?"""
