"""Arrays in, numbers out; numpy and scipy only."""
