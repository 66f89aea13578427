"""Target tree to module text: view models, templates, line map."""
