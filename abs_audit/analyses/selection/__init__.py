"""`select`: which benchmarks should CI execute under a time budget?"""
