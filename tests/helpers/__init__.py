"""What tests share. No test imports from another test module."""
