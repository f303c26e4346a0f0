"""A GTP engine that starts at once: it plays on the lowest line from left to right, and passes when that is full.

With the argument crash=COMMAND it ends without an answer at that command, with refuse=COMMAND it answers with an error.
"""

import sys

taken = set()
for line in sys.stdin:
    number, command, *words = line.split()
    if f"crash={command}" in sys.argv:
        sys.exit(3)
    if f"refuse={command}" in sys.argv:
        print(f"?{number} no\n", flush=True)
        continue
    said = ""
    if command == "list_commands":
        said = "clear_board\nplay\ngenmove\nfinal_score"
    elif command == "genmove":
        said = next((point for point in ("A1", "B1", "C1", "D1", "E1") if point not in taken), "pass")
        taken.add(said)
    elif command == "play":
        taken.add(words[1].upper())
    elif command == "final_score":
        said = "B+3"
    elif command == "clear_board":
        taken.clear()
    print(f"={number} {said}\n", flush=True)
    if command == "quit":
        break
