"""What can be said about a kernel without changing it: passes and warnings ask, nothing here rewrites."""
