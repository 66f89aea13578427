"""Syntax nodes from the reductions of the parser: one method a rule or alias of the grammar."""
