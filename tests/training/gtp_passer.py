"""A GTP engine that passes. Its owner of every point is the stone minus a hundredth of the number of moves.

Arguments: a file that counts its starts, what it does instead of its third move ("pass", "resign", "die", "hang" or
"copy", the opponent's last move), and in which starts (all without any).
"""

import os
import sys
import time
from pathlib import Path

COMMANDS = ["genmove", "play", "clear_board", "boardsize", "komi", "initial_influence", "final_status_list"]

starts, habit, when = Path(sys.argv[1]), sys.argv[2], set(map(int, sys.argv[3:]))
start = len(starts.read_text()) if starts.exists() else 0
starts.write_text("." * (start + 1))
moves, asked, last = 0, 0, "pass"
for line in sys.stdin:
    number, command, *words = line.split()
    said = ""
    if command == "list_commands":
        said = "\n".join(COMMANDS)
    elif command == "clear_board":
        moves = 0
    elif command == "boardsize":
        size = int(words[0])
    elif command == "play":
        moves, last = moves + 1, words[1]
    elif command == "genmove":
        said, asked = "pass", asked + 1
        if asked == 3 and (start in when or not when):
            if habit == "die":
                os._exit(1)
            if habit == "hang":
                time.sleep(1000)
            said = last if habit == "copy" else habit
        moves += 1
    elif command == "initial_influence":
        said = "\n".join([" ".join([f"{moves / 100:.2f}"] * size)] * size)
    elif command == "final_score":
        said = "B+3.5"
    print(f"={number} {said}\n", flush=True)
    if command == "quit":
        break
