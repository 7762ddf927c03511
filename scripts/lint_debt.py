# SPDX-License-Identifier: Apache-2.0
"""The list of known violations that scripts/lint-rooms, lint-source and lint-words share.

A debt file is made of blocks: a heading in column 1, KIND or KIND SUBJECT, and its entries, indented,
one per line. `#` starts a comment line. A check compares what it finds with the list: a violation that
is not listed fails, and so does a listed one that no longer exists. So the list can only shrink.
"""

import os


def read(path):
    """Returns {(kind, subject): [entry, ..]}; {} if there is no such file."""
    blocks = {}
    heading = None
    if not os.path.exists(path):
        return blocks
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            if line[0].isspace():
                blocks[heading].append(text)
            else:
                kind, _, subject = text.partition(" ")
                heading = (kind, subject)
                blocks.setdefault(heading, [])
    return blocks


def write(path, found, kinds):
    """Replaces the blocks of these kinds by `found`; the comments at the top and other kinds stay."""
    blocks = {key: entries for key, entries in read(path).items() if key[0] not in kinds}
    blocks.update(found)
    comments = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("#"):
                    break
                comments.append(line)
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(comments)
        for (kind, subject), entries in sorted(blocks.items()):
            if entries:
                out.write(f"\n{kind} {subject}".rstrip(" ") + "\n")
                out.writelines(f"  {entry}\n" for entry in sorted(entries))


def listed(path, kinds):
    """The blocks of these kinds."""
    return {key: entries for key, entries in read(path).items() if key[0] in kinds}


def stale(path, debt, found):
    """One sentence for each entry of `debt` that is not in `found`."""
    sentences = []
    for (kind, subject), entries in sorted(debt.items()):
        for entry in entries:
            if entry not in found.get((kind, subject), []):
                heading = f"{kind} {subject}".strip()
                sentences.append(f"{path}: remove the line '{entry}' of '{heading}': it is settled")
    return sentences
