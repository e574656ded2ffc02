"""Integers of 64 or 128 bits in kernels: one source, two compiled forms.

A number is an `int64`, or a pair of 64-bit words, low word first, in two's complement. Arrays of numbers have
the type `int64`, or one row of two `uint64` per number. Numba compiles a kernel for the arrays that it gets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, overload

Number = Any
"""An `int64`, or a pair of words."""

Numbers = Any
"""An array of numbers."""

MAX_BITS = {False: 62, True: 124}
"""Largest number of bits of a value; by whether numbers are pairs of words."""

_WORD = 64


def packed(values: Sequence[int], wide: bool) -> Numbers:
    """Create the array of numbers that kernels take."""
    if not wide:
        return np.array(values, np.int64)
    whole = b"".join([value.to_bytes(16, "little", signed=True) for value in values])
    return np.frombuffer(whole, np.uint64).reshape(len(values), 2)


def unpacked(numbers: Numbers) -> list[int]:
    """The integers of an array of numbers."""
    if numbers.ndim == 1:
        return [int(value) for value in numbers.tolist()]
    return [low | high << _WORD for low, high in numbers.tolist()]


def _whole(builder: Any, kind: Any, value: Any) -> Any:
    """One LLVM integer with all words of a number."""
    if not isinstance(kind, types.UniTuple):
        return value
    long = ir.IntType(_WORD * kind.count)
    out = ir.Constant(long, 0)
    for i in range(kind.count):
        word = builder.zext(builder.extract_value(value, i), long)
        out = builder.or_(out, builder.shl(word, ir.Constant(long, _WORD * i)))
    return out


def _words(builder: Any, kind: Any, value: Any) -> Any:
    """The number of one LLVM integer."""
    if not isinstance(kind, types.UniTuple):
        return value
    word = ir.IntType(_WORD)
    out = ir.Constant(ir.ArrayType(word, kind.count), ir.Undefined)
    for i in range(kind.count):
        moved = builder.lshr(value, ir.Constant(value.type, _WORD * i))
        out = builder.insert_value(out, builder.trunc(moved, word), i)
    return out


def _binary(build: Callable[[Any, Any, Any], Any], result: Any = None) -> Any:
    """Create an operation on two numbers; `result`: its type, if it is not a number."""

    def operation(_: Any, x: Any, y: Any) -> Any:
        kind = x if isinstance(x, types.UniTuple) else types.int64

        def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = [_whole(builder, kind, value) for value in arguments]
            made = build(builder, *whole)
            return made if result else _words(builder, signature.return_type, made)

        return (result or kind)(kind, kind), generate

    return intrinsic(operation)


def _shift(name: str) -> Any:
    """Create a shift of a number by an integer."""

    def operation(_: Any, x: Any, places: Any) -> Any:
        kind = x if isinstance(x, types.UniTuple) else types.int64

        def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = _whole(builder, kind, arguments[0])
            by = arguments[1]
            by = by if value.type.width == _WORD else builder.zext(by, value.type)
            return _words(builder, kind, getattr(builder, name)(value, by))

        return kind(kind, types.int64), generate

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
    kind = x if isinstance(x, types.UniTuple) else types.int64

    def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = _whole(builder, kind, arguments[0])
        zeros = builder.ctlz(value, ir.Constant(ir.IntType(1), 0))
        bits = builder.sub(ir.Constant(value.type, value.type.width), zeros)
        return bits if value.type.width == _WORD else builder.trunc(bits, ir.IntType(_WORD))

    return types.int64(kind), generate


bits_of: Any = intrinsic(_bit_length)


def read(numbers: Numbers, at: int) -> Number:
    """The number at a position."""
    return numbers[at]


def write(numbers: Numbers, at: int, value: Number) -> None:
    """Store a number at a position."""
    numbers[at] = value


def number(numbers: Numbers, value: int) -> Number:
    """A non-negative integer as a number of the same form as `numbers`."""
    return value


def small(value: Number) -> int:
    """The number as an integer; it has at most 63 bits."""
    return int(value)


def empty(numbers: Numbers, count: int) -> Numbers:
    """Create an array for `count` numbers of the same form as `numbers`."""
    return np.empty(count, numbers.dtype)


@overload(read, strict=False)
def _read(numbers: Any, at: Any) -> Any:
    if numbers.ndim == 1:
        return lambda numbers, at: numbers[at]
    return lambda numbers, at: (numbers[at, 0], numbers[at, 1])


@overload(write, strict=False)
def _write(numbers: Any, at: Any, value: Any) -> Any:
    if numbers.ndim == 1:

        def one(numbers: Any, at: Any, value: Any) -> None:
            numbers[at] = value

        return one

    def two(numbers: Any, at: Any, value: Any) -> None:
        numbers[at, 0] = value[0]
        numbers[at, 1] = value[1]

    return two


@overload(number, strict=False)
def _number(numbers: Any, value: Any) -> Any:
    if numbers.ndim == 1:
        return lambda numbers, value: np.int64(value)
    return lambda numbers, value: (np.uint64(value), np.uint64(0))


@overload(small, strict=False)
def _small(value: Any) -> Any:
    if isinstance(value, types.UniTuple):
        return lambda value: np.int64(value[0])
    return lambda value: value


@overload(empty, strict=False)
def _empty(numbers: Any, count: Any) -> Any:
    if numbers.ndim == 1:
        return lambda numbers, count: np.empty(count, np.int64)
    return lambda numbers, count: np.empty((count, 2), np.uint64)
