"""Writers of missing benchmarks, one module a framework."""
