"""What a review shows: comparison, marks, phantoms, header and scrolling.

Rule: nothing in here decides a review or touches the disk.
"""
