"""What is told before anything is measured: settings, the machine, and what would be injected."""
