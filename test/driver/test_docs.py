# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nereid docs` shows the pages of docs/, but for the plan."""

import json

from conftest import ROOT

PAGES = sorted(page for page in (ROOT / "docs").glob("*.md") if page.stem != "plan")


def test_topics(nereid):
    result = nereid("docs")
    assert result.returncode == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == [page.stem for page in PAGES]


def test_pages(nereid):
    assert PAGES
    for page in PAGES:
        result = nereid("docs", page.stem)
        assert result.returncode == 0
        assert result.stdout == page.read_text()


def test_every_function_of_the_language_is_explained():
    for section in (ROOT / "docs/language.md").read_text().split("\n## ")[1:]:
        assert section.split("```")[-1].strip(), section


def test_unknown_topic(nereid):
    nereid.refuses(["docs", "astrology"], "no topic 'astrology'", "architecture")
    nereid.refuses(["docs", "plan"], "no topic 'plan'")


def test_json(nereid):
    topics = json.loads(nereid("docs", "--json").stdout)["topics"]
    assert [topic["topic"] for topic in topics] == [page.stem for page in PAGES]
    page = json.loads(nereid("docs", "json", "--json").stdout)
    assert page["text"] == (ROOT / "docs/json.md").read_text()
