"""Generators and readers of sequences with labels. They never decode."""
