"""State of the dashboard as param objects, without any widget."""
