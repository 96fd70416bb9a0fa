"""JMH: composes commands, reads outputs, starts nothing."""
