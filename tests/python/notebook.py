# SPDX-License-Identifier: Apache-2.0
"""Runs a notebook from its first cell to its last, in a folder of its own, and keeps the page.

Usage: notebook.py NOTEBOOK.ipynb OUT_FOLDER        leaves OUT_FOLDER/NOTEBOOK.html

Fails where a cell raises, where there is no cell of code, where a cell draws and no figure shows, and
where the file in the tree holds results: they would be those of another version.
"""
import pathlib
import sys
import tempfile

import nbformat
from nbconvert import HTMLExporter
from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor


def main(name: str, out: str) -> int:
    path = pathlib.Path(name).resolve()
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code:
        raise SystemExit(f"{path.name} has no cell of code")
    if any(cell.outputs for cell in code):
        raise SystemExit(f"{path.name} holds results: clear them before it is committed")
    with tempfile.TemporaryDirectory() as folder:
        try:
            ExecutePreprocessor(timeout=1200, kernel_name="python3").preprocess(
                notebook, {"metadata": {"path": folder}})
        except CellExecutionError as fault:
            raise SystemExit(f"{path.name}: {fault}") from None
    drawing = [cell for cell in code if "plt." in cell.source]
    if not all(any("image/png" in shown.get("data", {}) for shown in cell.outputs)
               for cell in drawing):
        raise SystemExit(f"{path.name}: a cell draws, and no figure shows")
    page, _ = HTMLExporter().from_notebook_node(notebook)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    pathlib.Path(out, path.stem + ".html").write_text(page)
    print(f"{path.name}: {len(code)} cells run")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
