"""*Review Changes*: all that waits for the user, as one text; its `README.md` says which file is for what."""
