"""The verbs of the command as functions of Python, those that no lower room has as one."""
