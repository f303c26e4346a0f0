"""A GTP engine with every bad habit, each behind a command of its own. Arguments: the commands it claims to know."""

import os
import subprocess
import sys
import time

heard = []


def answer(sign, number, text):
    print(f"{sign}{number} {text}\n", flush=True)


def refuse(number, words):
    answer("?", number, "not today")


def chatter(number, words):
    print("Loading weights ...\n\n# a comment\nnodes: 12\n", end="")
    answer("=", number, "done")


def windows(number, words):
    sys.stdout.write(f"={number} A1\r\nB2\r\n\r\n")
    sys.stdout.flush()


def blank(number, words):
    answer("=", number, "above\n   \nbelow")


def without_number(number, words):
    answer("=", "", "who asked?")


def late(number, words):
    answer("=", int(number) - 1, "yesterday's answer")
    answer("=", number, "today's")


def megabytes(number, words):
    row = "x" * 99
    answer("=", number, "\n".join([row] * (int(words[0]) * 10_000)))


def noise(number, words):
    sys.stderr.write("deep thought " * 100_000 + "the end")
    sys.stderr.flush()
    answer("=", number, "calm")


def hang(number, words):
    print(f"={number} half an", flush=True)
    time.sleep(1000)


def flood(number, words):
    while True:
        print("y" * 1000)


def deaf(number, words):
    answer("=", number, "I shall not listen again")
    time.sleep(1000)


def die(number, words):
    sys.stderr.write("out of memory")
    print(f"={number} half an", flush=True)
    os._exit(3)


def close(number, words):
    os.close(1)
    time.sleep(1000)


def child(number, words):
    answer("=", number, subprocess.Popen(["sleep", "1000"]).pid)


def stubborn(number, words):
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    answer("=", number, "I stay")
    while True:
        time.sleep(1)


def dialogue(number, words):
    answer("=", number, "\n".join(heard[:-1]))


ANSWERS = {
    "name": lambda: "Double",
    "list_commands": lambda: "\n".join(["name", *sys.argv[1:]]),
    "genmove": lambda: "z99",
    "final_score": lambda: "?",
    "final_status_list": lambda: "d4 E5\nthe rest",
    "echo": lambda: " ".join(heard[-1].split()[1:]),
}
HABITS = [
    refuse, chatter, windows, blank, without_number, late, megabytes, noise, hang, flood, deaf, die, close, child,
    stubborn, dialogue,
]  # fmt: skip


def main():
    habits = {habit.__name__: habit for habit in HABITS}
    for line in sys.stdin:
        number, command, *words = line.split()
        heard.append(line.split(maxsplit=1)[1].strip())
        if command == "quit":
            answer("=", number, "")
            return
        if command in habits:
            habits[command](number, words)
        else:
            answer("=", number, ANSWERS.get(command, str)())


main()
