"""Writers of missing Python benchmarks, a module a framework."""
