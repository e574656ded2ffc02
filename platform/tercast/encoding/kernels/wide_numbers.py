"""Integers of 128 bits in kernels.

A number is a pair of 64-bit words, low word first, in two's complement. An array of numbers has a row of two
`uint64` for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from tercast.runtime.compiler import compile_borrower, compile_inner

WideNumber = Any
"""A pair of words."""

WideNumbers = Any
"""An array of numbers."""

MAX_BITS = 124
"""Largest number of bits of a value."""

_WORD = 64
_LONG = ir.IntType(2 * _WORD)
_PAIR: Any = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]


def packed(values: Sequence[int]) -> WideNumbers:
    """Create the array of numbers that kernels take."""
    whole = b"".join([value.to_bytes(16, "little", signed=True) for value in values])
    return np.frombuffer(whole, np.uint64).reshape(len(values), 2)


def unpacked(numbers: WideNumbers) -> list[int]:
    """The integers of an array of numbers."""
    return [low | high << _WORD for low, high in numbers.tolist()]


def _whole(builder: Any, value: Any) -> Any:
    """One LLVM integer with both words of a number."""
    low, high = (builder.zext(builder.extract_value(value, i), _LONG) for i in range(2))
    return builder.or_(low, builder.shl(high, ir.Constant(_LONG, _WORD)))


def _words(builder: Any, value: Any) -> Any:
    """The number of one LLVM integer."""
    word = ir.IntType(_WORD)
    out = ir.Constant(ir.ArrayType(word, 2), ir.Undefined)
    for i in range(2):
        moved = builder.lshr(value, ir.Constant(_LONG, _WORD * i))
        out = builder.insert_value(out, builder.trunc(moved, word), i)
    return out


def _binary(build: Callable[[Any, Any, Any], Any], result: Any = None) -> Any:
    """Create an operation on two numbers; `result`: its type, if it is not a number."""

    def operation(_: Any, x: Any, y: Any) -> Any:
        def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            made = build(builder, *[_whole(builder, value) for value in arguments])
            return made if result else _words(builder, made)

        return (result or _PAIR)(_PAIR, _PAIR), generate

    return intrinsic(operation)


def _shift(name: str) -> Any:
    """Create a shift of a number by an integer."""

    def operation(_: Any, x: Any, places: Any) -> Any:
        def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            by = builder.zext(arguments[1], _LONG)
            return _words(builder, getattr(builder, name)(_whole(builder, arguments[0]), by))

        return _PAIR(_PAIR, types.int64), generate

    return intrinsic(operation)


plus = _binary(lambda builder, x, y: builder.add(x, y))
minus = _binary(lambda builder, x, y: builder.sub(x, y))
times = _binary(lambda builder, x, y: builder.mul(x, y))
bits_in_both = _binary(lambda builder, x, y: builder.and_(x, y))
bits_in_any = _binary(lambda builder, x, y: builder.or_(x, y))
bits_in_one = _binary(lambda builder, x, y: builder.xor(x, y))
is_less = _binary(lambda builder, x, y: builder.icmp_signed("<", x, y), types.boolean)
is_equal = _binary(lambda builder, x, y: builder.icmp_signed("==", x, y), types.boolean)
moved_up = _shift("shl")
moved_down = _shift("ashr")


def _bit_length(_: Any, x: Any) -> Any:
    """The number of bits of a non-negative number."""

    def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(_whole(builder, arguments[0]), ir.Constant(ir.IntType(1), 0))
        bits = builder.sub(ir.Constant(_LONG, 2 * _WORD), zeros)
        return builder.trunc(bits, ir.IntType(_WORD))

    return types.int64(_PAIR), generate


bits_of: Any = intrinsic(_bit_length)


@compile_borrower
def read(numbers: WideNumbers, at: int) -> WideNumber:
    """The number at a position."""
    return numbers[at, 0], numbers[at, 1]


@compile_borrower
def write(numbers: WideNumbers, at: int, value: WideNumber) -> None:
    """Store a number at a position."""
    numbers[at, 0] = value[0]
    numbers[at, 1] = value[1]


@compile_borrower
def number(value: int) -> WideNumber:
    """A non-negative integer as a number."""
    return np.uint64(value), np.uint64(0)


@compile_borrower
def small(value: WideNumber) -> int:
    """The number as an integer; it has at most 63 bits."""
    return np.int64(value[0])  # type: ignore[return-value]


@compile_inner
def empty(count: int) -> WideNumbers:
    """Create an array for `count` numbers."""
    return np.empty((count, 2), np.uint64)
