"""When was enough measured? One file a rule, all behind the door in `rule`."""
