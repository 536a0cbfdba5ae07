"""The chapters that no test of their own opens in a browser: each is run and looked at."""

import pytest
from lab import ROOT, fresh_views

ELSEWHERE = "".join(
    file.read_text(encoding="utf-8") for file in ROOT.glob("tests/chapters/*/test_browser.py")
)
CHAPTERS = sorted(path.name for path in ROOT.glob("notebooks/*.ipynb"))


@pytest.mark.parametrize("chapter", [name for name in CHAPTERS if name not in ELSEWHERE])
def test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone(chapter, quiet):
    fresh_views(chapter)(quiet)
