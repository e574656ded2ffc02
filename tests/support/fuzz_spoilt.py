"""Damaged inputs: bytes changed, cut out, repeated, inserted, or taken from another input."""

from collections.abc import Sequence

from hypothesis import strategies as st


@st.composite
def spoilt(draw, seeds: Sequence[bytes], tokens: Sequence[bytes] = (), most: int = 6) -> bytes:
    """Return one of `seeds` after up to `most` changes; `tokens` are inserted as a whole."""
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, most))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.sampled_from((1, 1, 2, 4, 8, 40))))
        match draw(st.integers(0, 6)):
            case 0 if at < len(data):
                data[at] = draw(st.integers(0, 255))
            case 1 if at < len(data):
                data[at] ^= 1 << draw(st.integers(0, 7))
            case 2:
                del data[at:end]
            case 3:
                data[at:at] = data[at:end] * draw(st.sampled_from((1, 2, 50)))
            case 4 if tokens:
                data[at:at] = draw(st.sampled_from(tokens))
            case 5:
                other = draw(st.sampled_from(seeds))
                start = draw(st.integers(0, len(other)))
                data[at:end] = other[start : start + draw(st.sampled_from((1, 8, 64, 400)))]
            case _:
                data[at:at] = draw(st.binary(max_size=8))
    return bytes(data)
