"""Breakpoints: `book` keeps them, `looks` draws them, `model` and `dock` list them, and `form` changes one.

`condition_form` is made from the fields of the conditions.
"""
