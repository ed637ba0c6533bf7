"""Code that users write: congestion controls, ACK policies, and whether it may be loaded (`trust`)."""
