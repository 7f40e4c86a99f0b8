"""Dialogs: for a choice only, opened and never executed, so that the window keeps living behind them."""
