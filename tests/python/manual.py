# SPDX-License-Identifier: Apache-2.0
"""Runs every line of Python in a page of the manual, in one session, in a folder of its own.

Usage: manual.py PAGE.md

A block of ```python is lines of >>> and what they print. A file that such lines name is made by
lines before them. Fails where a line raises or prints something else, where a block holds a line
that would not be run, and where there is nothing to run.
"""
import doctest
import os
import pathlib
import re
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)\s*$")


def python_of(page: str) -> str:
    """The page with nothing left but its blocks of Python, each line where it was."""
    kept, language = [], None
    for number, line in enumerate(page.splitlines(), 1):
        fence = FENCE.match(line)
        opens = fence is not None and language is None
        if opens and fence is not None:
            language = fence[1]
        elif fence is not None:
            language = None
        inside = language == "python" and not opens
        if inside and kept[-1] == "" and line and not line.startswith(">>> "):
            raise SystemExit(f"line {number}: {line!r} would not be run: it has no >>>")
        kept.append(line if inside else "")
    return "\n".join(kept) + "\n"


def main(name: str) -> int:
    path = pathlib.Path(name).resolve()
    test = doctest.DocTestParser().get_doctest(
        python_of(path.read_text()), {"__name__": "__main__"}, path.name, str(path), 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        failed, tried = doctest.DocTestRunner(optionflags=flags).run(test)
        os.chdir("/")
    print(f"{path.name}: {tried} lines run, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
