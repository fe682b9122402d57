# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The times of `--bench`, and their page."""

# --- cut ---


def _bench(original, emitted, page):
    """Times the original, torch.compile and emitted files, from 256 MB downwards."""
    bench, shapes = triton.testing.do_bench, []
    sizes = list(inspect.signature(_inputs).parameters.values())[1:]
    shape = {size.name: size.default for size in sizes}
    while not shapes or shape and shapes[-1][0] < 1 << 28:
        if shapes:
            shape[min(shape)] *= 2
        inputs = _inputs(_maker("cuda"), **shape)
        shapes.append((sum(x.nbytes for x in _run(original, inputs)), dict(shape)))
    block = torch.empty(1 << 28, device="cuda")
    copy_rate = 2 * block.nbytes / bench(block.clone) / 1e6
    print(f"{torch.cuda.get_device_name()}; PyTorch copies {copy_rate:.0f} GB/s")
    compiled = torch.compile(original, dynamic=False)
    programs = {"eager": original, "torch.compile": compiled} | emitted
    rows = []
    for moved, shape in shapes[::-2][:8]:
        inputs = _inputs(_maker("cuda"), **shape)
        print(f"{shape}: {moved / 1e6:.1f} MB")
        for name, program in programs.items():
            with torch.no_grad():
                ms = bench(lambda program=program, inputs=inputs: program(**inputs))
            rate = moved / ms / 1e6
            rows.append((moved, name, ms, rate))
            share = f"{rate / copy_rate:5.0%} of the copy"
            print(f"  {name:14}{ms:9.4f} ms{rate:7.0f} GB/s{share}")
    if page:
        pathlib.Path(page).write_text(_draw(rows, copy_rate))


def _draw(rows, copy_rate):
    """A page with bandwidth over bytes moved, under the roof of a copy, and the table."""
    widths = [moved.bit_length() for moved, *_ in rows]
    step = 480 / max(max(widths) - min(widths), 1)
    roof = max(copy_rate, *(rate for *_, rate in rows))
    names = dict.fromkeys(name for _, name, *_ in rows)
    colours = dict(zip(names, ("#999", "#d70", "#27d", "#290", "#a2d")))
    text = '<text x="{}" y="{}" fill="{}">{}</text>'
    drawn = [text.format(60, 34, "#888", f"roof: a copy at {copy_rate:.0f} GB/s")]
    y = 260 - 216 * copy_rate / roof
    drawn.append(f'<path d="M60 {y:.0f}H540M60 260H540" stroke="#888"/>')
    for place, (name, colour) in enumerate(colours.items()):
        points = []
        for moved, each, _, rate in rows:
            if each == name:
                x = 60 + step * (moved.bit_length() - min(widths))
                points.append(f"{x:.0f},{260 - 216 * rate / roof:.0f}")
        line = f'points="{" ".join(points)}" stroke="{colour}" stroke-width="2"'
        drawn.append(f'<polyline fill="none" {line}/>')
        drawn.append(text.format(548, f"{90 + 20 * place}", colour, name))
    for width in sorted(set(widths)):
        x = 60 + step * (width - min(widths))
        drawn.append(
            text.format(f"{x:.0f}", 278, "#888", f"{2 ** (width - 1) / 1e6:.3g} MB")
        )
    cells = [
        f"<tr><td>{moved / 1e6:.1f} MB<td>{name}<td>{ms:.4f} ms<td>{rate:.0f} GB/s"
        f"<td>{rate / copy_rate:.0%}"
        for moved, name, ms, rate in rows
    ]
    style = "body{font:15px sans-serif;color-scheme:light dark}td{padding:0 1em}"
    head = f'<!doctype html><meta charset="utf-8"><title>{_NAME}</title>'
    svg = f'<svg width="660" height="290" font-size="12">{"".join(drawn)}</svg>'
    table = f"<table>{''.join(cells)}</table>"
    return f"{head}<style>{style}</style><h1>{_NAME}</h1>{svg}{table}"
