"""The Python blocks of the book and the README run, those of a page one after the other."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "book/src/python.md", "book/src/scale.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M)
    assert blocks
    space = {}
    for block in blocks:
        exec(compile(block, page, "exec"), space)
