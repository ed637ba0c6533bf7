"""Closed-form models: saturation, air times, capacity, optimal windows, drop probability, TCP throughput.

The functions of the modules check their arguments and raise :class:`ValueError`; :mod:`hopscope.models.registry` has
all models by name, with parameters and outputs as ``hopscope model`` shows them.  They share no code with the engine.
"""
