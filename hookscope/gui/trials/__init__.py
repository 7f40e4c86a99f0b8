"""What an intervention does: before, after and the difference, what moved most, and sweeps over one of its numbers.

`comparison` says which step panels look at; `ribbon` stands above every page while something is changed;
`most_changed` lists what moved; `sweep_dialog` tries one value after the other; `parts` puts them together.
"""
