"""`lint`: which benchmarks hold known mistakes? Read from their sources; with `--rot` they are executed."""
