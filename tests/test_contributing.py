"""CONTRIBUTING lists the rooms in the order that import-linter enforces."""

import re
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_list_of_rooms_is_the_enforced_one():
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    enforced = re.findall(r"tengen\.(\w+)", contracts["importlinter:contract:house"]["layers"])
    listed = re.findall(
        r"^\| `src/tengen/(\w+)/`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    rooms = [name for name in reversed(enforced) if (ROOT / "src/tengen" / name).is_dir()]
    assert listed == rooms
