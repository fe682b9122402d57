# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nereid lsp`, driven by a client library as an editor drives it."""

import asyncio
import contextlib

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

SCALE = """import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)  # é 𝛼
    tl.store(out_ptr + offs, x * factor, mask=offs < n)


def scale(x, factor):
    out = torch.empty_like(x)
    n = out.numel()
    scale_kernel[(triton.cdiv(n, 128),)](x, out, factor, n, BLOCK=128)
    return out
"""
LOAD = 8  # the line of the load


class Editor:
    """A client, and the diagnostics that it was sent."""

    def __init__(self, folder):
        self.folder = folder
        self.client = LanguageClient("editor", "1")
        self.published = asyncio.Queue()
        self.shown = asyncio.Queue()
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda one: self.published.put_nowait(one))
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(lambda one: self.shown.put_nowait(one))

    def uri(self, name):
        return (self.folder / name).as_uri()

    def open(self, name, text, version=1):
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri(name), "python", version, text))
        )

    def change(self, name, text, version):
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, self.uri(name)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def diagnostics(self, name, version):
        while True:
            one = await asyncio.wait_for(self.published.get(), 30)
            if one.uri == self.uri(name) and one.version == version:
                return list(one.diagnostics)

    async def hover(self, name, line, character):
        answer = await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(self.uri(name)), types.Position(line, character))
        )
        return answer and answer.contents.value

    async def actions(self, name, line):
        place = types.Range(types.Position(line, 0), types.Position(line, 200))
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri(name)), place, types.CodeActionContext(diagnostics=[])
        )
        return list(await self.client.text_document_code_action_async(params))


@contextlib.asynccontextmanager
async def editing(nereid):
    editor = Editor(nereid.folder)
    await editor.client.start_io(nereid.binary, "lsp")
    answer = await editor.client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    assert answer.server_info.name == "nereid"
    editor.client.initialized(types.InitializedParams())
    yield editor
    await editor.client.shutdown_async(None)
    editor.client.exit(None)
    await asyncio.wait_for(editor.client._server.wait(), 30)
    assert editor.client._server.returncode == 0
    await editor.client.stop()


def applied(text, edits):
    lines = text.split("\n")

    def offset(place):
        before = "\n".join(lines[: place.line]) + ("\n" if place.line else "")
        units = lines[place.line].encode("utf-16-le")[: 2 * place.character]
        return len(before) + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


def test_the_buffer_counts(nereid):
    """What is found is that of the text that is typed, not of the file, until it is right."""
    nereid.write("scale.py", "x = 1\n")

    async def run():
        async with editing(nereid) as editor:
            editor.open("scale.py", SCALE)
            (one,) = await editor.diagnostics("scale.py", 1)
            assert one.code == "TRC001" and one.severity == types.DiagnosticSeverity.Error
            assert (one.range.start.line, one.range.start.character) == (LOAD, 8)
            assert (one.range.end.line, one.range.end.character) == (LOAD, 29)
            assert one.source == "nereid" and "element 127 of 'x_ptr'" in one.message
            assert one.related_information[0].location.range.start.line == 15
            editor.change("scale.py", SCALE.replace("x_ptr + offs)", "x_ptr + offs, mask=offs < n)"), 2)
            assert await editor.diagnostics("scale.py", 2) == []
            editor.change("scale.py", SCALE + "def (\n", 3)
            (one,) = await editor.diagnostics("scale.py", 3)
            assert one.range.start.line == 17

    asyncio.run(run())


def test_fixes_are_offered(nereid):
    """A fix is a code action whose edit, made in the buffer, leaves nothing to find."""
    nereid.write("scale.py", SCALE)

    async def run():
        async with editing(nereid) as editor:
            editor.open("scale.py", SCALE)
            await editor.diagnostics("scale.py", 1)
            assert await editor.actions("scale.py", 0) == []
            (action,) = await editor.actions("scale.py", LOAD)
            assert action.kind == "quickfix" and action.is_preferred
            assert action.title == "nereid: mend TRC001 oob-access in scale_kernel"
            fixed = applied(SCALE, action.edit.changes[editor.uri("scale.py")])
            assert "x = tl.load(x_ptr + offs, mask=offs < n)  # é 𝛼" in fixed
            editor.change("scale.py", fixed, 2)
            assert await editor.diagnostics("scale.py", 2) == []

    asyncio.run(run())


def test_hover_tells_proofs(nereid):
    """A hover has verdicts, what they take for granted, counterexamples, and what the function does."""
    nereid.write("scale.py", SCALE)

    async def run():
        async with editing(nereid) as editor:
            editor.open("scale.py", SCALE)
            load = await editor.hover("scale.py", LOAD, 20)
            assert "**load** of `x_ptr` in `scale_kernel`" in load
            assert "- **in bounds**: counterexample:" in load and "`lane0 = 127`" in load
            assert "launched so by `scale`" in load
            store = await editor.hover("scale.py", LOAD + 1, 20)
            assert "- **in bounds**: proved" in store and "- **apart from others**: proved" in store
            name = await editor.hover("scale.py", LOAD, 12)
            assert "tl.load(pointer, mask=None" in name and "Reads the elements that pointers show" in name
            arange = await editor.hover("scale.py", LOAD - 1, 42)
            assert "tl.arange(start, end)" in arange and "power of two" in arange
            assert await editor.hover("scale.py", 0, 0) is None

    asyncio.run(run())


def test_other_buffers_count(nereid):
    """A launch that another open file makes is found as that stands in its buffer."""
    kernel, wrapper = SCALE.split("\n\n\ndef scale(")
    wrapper = "import torch\nimport triton\nfrom kernels import scale_kernel\n\n\ndef scale(" + wrapper
    nereid.write("kernels.py", kernel + "\n")
    nereid.write("calls.py", "import kernels\n")

    async def run():
        async with editing(nereid) as editor:
            editor.open("calls.py", wrapper)
            await editor.diagnostics("calls.py", 1)
            editor.open("kernels.py", kernel + "\n")
            (one,) = await editor.diagnostics("kernels.py", 1)
            assert one.code == "TRC001"
            assert one.related_information[0].location.uri == editor.uri("calls.py")

    asyncio.run(run())


def test_configuration_and_closing(nereid):
    """Rules are those of pyproject.toml; a malformed one is told; a closed file has nothing."""
    nereid.write("pyproject.toml", '[tool.nereid]\nignore = ["TRC"]\n')
    nereid.write("scale.py", SCALE)

    async def run():
        async with editing(nereid) as editor:
            editor.open("scale.py", SCALE)
            assert await editor.diagnostics("scale.py", 1) == []
            nereid.write("pyproject.toml", "[tool.nereid]\nignore = 3\n")
            editor.change("scale.py", SCALE + "\n", 2)
            shown = await asyncio.wait_for(editor.shown.get(), 30)
            assert shown.type == types.MessageType.Error and "ignore" in shown.message
            editor.client.text_document_did_close(
                types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(editor.uri("scale.py")))
            )
            assert await editor.diagnostics("scale.py", None) == []

    asyncio.run(run())


@pytest.mark.parametrize("text", ["", "Content-Length: 2\r\n\r\n{}", "garbage\r\n\r\n"])
def test_input_that_ends_early(nereid, text):
    """Without `shutdown` the status is 1, whatever came."""
    import subprocess

    done = subprocess.run([nereid.binary, "lsp"], input=text, capture_output=True, text=True, timeout=30, cwd=nereid.folder)
    assert done.returncode == 1
