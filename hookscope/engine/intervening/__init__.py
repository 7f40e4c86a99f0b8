"""Interventions: changing tensors inside of hooks, and what came of it."""
