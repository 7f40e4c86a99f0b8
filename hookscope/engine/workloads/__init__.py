"""What a step runs: workloads, where they come from, their batches and their losses."""
