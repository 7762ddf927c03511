# SPDX-License-Identifier: Apache-2.0
"""What a page holds."""
import base64
import json
import re
import zlib


def page_data(text):
    """The JSON of a page; "block" has the bytes of its arrays, where they are packed."""
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.S)[1]
    if found.startswith("{"):
        return json.loads(found)
    plain, block = (zlib.decompress(base64.b64decode(part)) for part in found.split(","))
    return {**json.loads(plain), "block": block}
