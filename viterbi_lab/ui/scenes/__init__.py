"""The inferences of the Tasks view as scenes: pure functions of a task, an input and weights."""
