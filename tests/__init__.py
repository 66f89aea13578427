"""The tests, foldered by what they need."""
