"""A GTP engine that starts at once: it plays on the lowest line from left to right, and passes when that is full."""

import sys

taken = set()
for line in sys.stdin:
    number, command, *words = line.split()
    said = ""
    if command == "list_commands":
        said = "clear_board\nplay\ngenmove"
    elif command == "genmove":
        said = next((point for point in ("A1", "B1", "C1", "D1", "E1") if point not in taken), "pass")
        taken.add(said)
    elif command == "play":
        taken.add(words[1].upper())
    elif command == "clear_board":
        taken.clear()
    print(f"={number} {said}\n", flush=True)
    if command == "quit":
        break
