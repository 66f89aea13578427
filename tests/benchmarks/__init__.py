"""The scripts that measure: what they compute and tell, without measuring."""
