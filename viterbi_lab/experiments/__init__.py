"""Experiments: seeded functions that return their numbers, and commands that print them."""
