"""Closed-form models the engine is checked against: saturation throughput and frame air times."""
