"""Figures: arrays to what is drawn, numbers to text. Pure functions over numpy; no Qt, no torch."""
