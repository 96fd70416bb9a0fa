"""`stubs`: a benchmark for each method that none watches, tried before it is offered."""
