"""Campaigns: which runs a set of scenarios needs, which are missing in a store, and doing them in parallel."""
