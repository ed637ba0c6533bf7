"""Readings of a study: what it leaves open, taken together, and how few departures make its statements hold.

`halves` divides the statements, `search` goes through the joint space, `evaluating` runs a study under one. The search
takes that as a function, so that it can be tested without simulation.
"""
