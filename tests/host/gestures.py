"""What a user does and sees: plain functions with JSON arguments and JSON results, called on the main thread."""
