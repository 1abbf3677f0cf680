"""What the project's commands are made of: setting up environments, running legs of tests, packing."""
