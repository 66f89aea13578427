"""Renderers, one file a format: each is a pure function `render(reports) -> str` over `report.Report`."""
