"""The experiment: reach, shares, schedule, protocols, and the store of what was measured."""
