"""The typed intermediate representation."""
