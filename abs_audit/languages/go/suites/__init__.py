"""Go's testing package: composes commands, reads outputs, starts nothing."""
