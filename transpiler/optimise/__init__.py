"""The optimising tier: from a kernel as written to the launches that compute the same, faster."""
