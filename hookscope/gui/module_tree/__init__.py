"""The module tree: which modules a model has, which are checked, and what came out of them.

`layout`, `checks` and `filters` are plain Python over the protocol's tree; `model`, `delegate`, `view` and `dock` show
them.
"""
