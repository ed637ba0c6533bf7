"""The command ``hopscope``: one file a verb; a verb reads options, calls one function of the package and prints."""
