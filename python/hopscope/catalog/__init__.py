"""Entries that are still Python: two studies to be converted (`hopscope.studies`), and the validation."""
