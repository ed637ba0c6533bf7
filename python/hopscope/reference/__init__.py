"""What can be looked up: every key, metric and word, as the engine's and the package's own tables have them."""
