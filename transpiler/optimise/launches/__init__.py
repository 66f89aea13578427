"""From nests to the launches in the place of a kernel."""
