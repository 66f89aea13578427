"""Renderers, one file a format: each a pure function `render(reports) -> str`."""
