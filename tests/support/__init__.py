"""What tests of several folders share. Nothing in here is a test."""
