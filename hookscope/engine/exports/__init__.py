"""Writes captured tensors to files."""
