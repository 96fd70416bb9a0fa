"""`lint`: which benchmarks hold known mistakes? Read from their sources; nothing is executed."""
