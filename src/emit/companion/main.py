# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line."""

# --- cut ---


def _main(*files):
    """Compares emitted files with the original, or times all."""
    global _FILE
    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("--validate", action="store_true", help="compare the results")
    parser.add_argument("--bench", action="store_true", help="compare the times")
    parser.add_argument("--html", help="draw the times of --bench on a page")
    parser.add_argument("--stage", type=int, choices=(1, 2, 3), help="only this one")
    parser.add_argument(
        "--reference", default=_SOURCE, help="the original (%(default)s)"
    )
    options = parser.parse_args()
    interprets = os.environ.get("TRITON_INTERPRET") == "1"
    if options.validate == options.bench:
        parser.error("say --validate or --bench")
    if not torch.cuda.is_available() and (options.bench or not interprets):
        parser.error(
            "no CUDA device here; TRITON_INTERPRET=1 lets --validate use the CPU"
        )
    if interprets:
        _mend_interpreter()
    source = _find_original(options, parser)
    files, judged, timed = _load(files, options.stage), [], {}
    if not files:
        parser.error(f"no file {_STEM}_stage*.py is here")
    for file in files:
        _FILE = file
        original, emitted = _make_pair(source, "cpu" if interprets else "cuda")
        name = pathlib.Path(file.__file__).stem
        if options.bench:
            is_module = isinstance(original, torch.nn.Module)
            timed[name] = emitted.eval() if is_module else emitted
            original = original.eval() if is_module else original
            continue
        if len(files) > 1:
            print(f"{name}:")
        judged.append(_validate(original, emitted, "cpu" if interprets else "cuda"))
    if options.bench:
        _bench(original, timed, options.html)
    sys.exit(0 if all(judged) else 1)
