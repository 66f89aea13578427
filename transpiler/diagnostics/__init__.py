"""The data model of diagnostics, their codes, and the renderers."""
