# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a page of `nereid audit --html` is well-formed and says all that the audit found.

    nereid audit kernels.py --html page.html --json > audit.json
    python3 page.py page.html audit.json

Tags are balanced, nothing is loaded from elsewhere, links lead to places of the page, the sources are those of the files
line by line, each property of an access is told where the access is, in the class of its verdict, and each finding in the
table and below its line. Where a headless Chromium is on the PATH it has to show the page as it was written.
"""

import html.parser
import json
import shutil
import subprocess
import sys
from pathlib import Path

VOID = {"meta", "br", "link", "img"}
CLASSES = {"proved": "proved", "counterexample": "wrong", "unknown": "open"}


class Page(html.parser.HTMLParser):
    """Reads ids, links, marks of accesses (line, text, class, title), source lines and findings."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.ids, self.links = [], [], []
        self.files, self.lines, self.marks, self.told, self.rows = [], {}, [], [], []
        self.open_marks = []
        self.feed(text)
        self.close()
        assert not self.stack, f"open at the end: {self.stack}"

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not {"src", "onload", "onclick"} & attrs.keys(), f"<{tag}> loads or runs something"
        if tag in VOID:
            return
        self.stack.append((tag, attrs))
        if "id" in attrs:
            assert attrs["id"] not in self.ids, f"{attrs['id']} twice"
            self.ids.append(attrs["id"])
        if "href" in attrs:
            self.links.append(attrs["href"])
        if attrs.get("class") == "l":
            self.lines[attrs["id"]] = ""
            self.line = attrs["id"]
        if tag == "span" and "title" in attrs:
            self.marks.append([self.line, "", attrs["class"], attrs["title"]])
            self.open_marks.append(self.marks[-1])
        if tag == "div" and attrs.get("class", "").startswith("f "):
            self.told.append([self.line, ""])
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1][0] == tag, f"</{tag}> where {self.stack[-1:]} is open"
        _, attrs = self.stack.pop()
        if tag == "span" and "title" in attrs:
            self.open_marks.pop()

    def handle_data(self, data):
        if any(tag == "summary" for tag, _ in self.stack):
            self.files.append(data)
        if any(attrs.get("class") == "l" for _, attrs in self.stack):
            self.lines[self.line] += data
        for mark in self.open_marks:
            mark[1] += data
        if any(attrs.get("class", "").startswith("f ") for _, attrs in self.stack):
            self.told[-1][1] += data
        if any(tag == "td" for tag, _ in self.stack):
            self.rows[-1][-1] += data


def check_sources(page):
    for number, path in enumerate(page.files, 1):
        source = Path(path).read_text().splitlines()
        shown = [page.lines[f"f{number}-{line}"] for line in range(1, len(source) + 1)]
        assert shown == source, f"{path} is shown otherwise"


def check_accesses(page, audit):
    count = 0
    for kernel in audit["kernels"]:
        for access in kernel["accesses"]:
            line = f"f{page.files.index(access['path']) + 1}-{access['line']}"
            what = access["operation"] + (f" of {access['argument']}" if access["argument"] else "")
            what += ", in bounds: " if access["property"] == "in bounds" else ", apart from other programs: "
            marks = [mark for mark in page.marks if mark[0] == line and what in mark[3]]
            assert marks, f"{line}: nothing is said of {what}"
            title = marks[0][3]
            if access["verdict"] == "proved":
                assert all(f"where {text}" in title for text in access["assumptions"]), title
            else:
                assert access["reason"] in title, title
            if access["verdict"] == "counterexample":
                assert marks[0][2] == CLASSES["counterexample"]
            assert marks[0][1].startswith("tl."), marks[0]
            count += 1
    return count


def check_findings(page, audit):
    findings = [f for f in audit["findings"] if not (f["suppressed"] or f["known"] or f["elsewhere"])]
    cells = [cell for row in page.rows for cell in row]
    for finding in findings:
        assert finding["message"] in cells, f"the table lacks {finding['message']}"
        line = f"f{page.files.index(finding['path']) + 1}-{finding['line']}"
        below = [text for place, text in page.told if place == line]
        assert any(finding["message"] in text and finding["rule"] in text for text in below), finding
        assert all(note in "".join(below) for note in finding["notes"]), finding
    return len(findings)


def check_browser(path, page):
    """Whether a browser makes the same of it."""
    browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if not browser:
        return "no browser"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", path.resolve().as_uri()]
    shown = Page(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    assert shown.lines == page.lines and shown.marks == page.marks and shown.rows == page.rows
    return "the browser shows it"


def main():
    path, audit = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    text = path.read_text()
    assert text.startswith("<!doctype html>\n") and "http" not in text
    page = Page(text.removeprefix("<!doctype html>\n"))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links), page.links
    check_sources(page)
    accesses, findings = check_accesses(page, audit), check_findings(page, audit)
    print(f"{accesses} properties and {findings} findings are on the page; {check_browser(path, page)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
