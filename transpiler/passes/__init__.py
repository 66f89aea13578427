"""The passes from syntax to legal typed IR, one file a pass."""
