"""The command `python -m tercast.compiled`: compile all kernels for later processes."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from time import perf_counter

from tercast.eventspace.topic import Topic
from tercast.optimizer.warm_up import warm_up
from tercast.runtime.jit import load_twin, use
from tercast.runtime.kernel_cache import is_ready, mark_ready, prepare

_DESCRIPTION = "Compile all kernels, so that later processes start without compiling."


def main() -> int:
    """Compile the kernels that are not ready; 1 if Numba or a writable cache folder is missing."""
    parser = argparse.ArgumentParser(prog="python -m tercast.compiled", description=_DESCRIPTION)
    parser.add_argument(
        "--check", action="store_true", help="only check whether the kernels are ready (exit status 0 or 1)"
    )
    if parser.parse_args().check:
        return 0 if is_ready() else 1
    if is_ready():
        return 0
    if not prepare():
        print(
            "kernels not compiled: Numba or a writable cache folder is missing; plain Python runs instead",
            file=sys.stderr,
        )
        return 1
    start = perf_counter()
    _compile_in_two_processes()
    compile_all()  # loads the compiled kernels, and compiles again what one process has overwritten
    mark_ready()
    print(f"kernels compiled in {perf_counter() - start:.0f} s")
    return 0


def compile_all() -> None:
    """Call every kernel once, which compiles it."""
    _compile_most()
    _compile_cut_encoder()


def _compile_in_two_processes() -> None:
    """Compile on two cores; the kernels of spaces with cuts take as much time as all others."""
    context = multiprocessing.get_context("fork")
    half = context.Process(target=_compile_cut_encoder)
    half.start()
    _compile_most()
    half.join()


def _topic() -> Topic:
    rows = [{"name": name, "type": "int", "min": 0, "max": 1023} for name in ("a", "b")]
    return Topic.from_json({"name": "t", "code": 1, "indexed": ["a", "b"], "attributes": rows})


def _compile_cut_encoder() -> None:
    cut_encoder = load_twin("tercast.encoding.kernels.cut_encoder")
    space = _topic().with_cuts([["a", 9], 1, 1]).cut_space(20)
    cut_encoder.CutEncoder(space).of_terms([{0: ((3, 7),)}, {1: ((2, 5),)}], 8, shares=False)


def _compile_most() -> None:
    import numpy as np  # noqa: PLC0415

    box_encoder = load_twin("tercast.encoding.kernels.box_encoder")
    part_encoder = load_twin("tercast.encoding.kernels.part_encoder")
    term_reader = load_twin("tercast.encoding.term_reader")
    patricia = load_twin("tercast.routing.kernels.patricia")
    ports = load_twin("tercast.routing.kernels.port_semantics")
    propagation = load_twin("tercast.routing.kernels.propagation")
    changes = load_twin("tercast.routing.kernels.table_changes")

    schedule = _topic().schedule(20)
    encoder = box_encoder.BoxEncoder(_topic(), schedule)
    encoder.of_text("a in [3, 700] and b in [5, 901)", 8)
    encoder.of_texts(["a = 3", "b = 4"], 8)
    encoder.of_sides(0, 1, ((0, 0), (0, 1)), 8)
    encoder.of_codes(term_reader.TermReader(_topic(), schedule, encoder).sides("not a < 3")[0], 8)
    part_encoder.PartEncoder(schedule).of_sides([((0, 3), (0, 1)), ((2, 8), (4, 7))], 8)
    propagation.owners(patricia.new_nodes(2), 1)
    propagation.owned_between(patricia.new_nodes(2), 20, 1, 0, 1)
    changes.entries_of(patricia.new_nodes(2), 1, np.zeros(ports.COLUMNS, np.int64))
    changes.net(np.zeros((1, 4), np.int64), 1)
    use(True)
    warm_up()
