"""Integers of 128 or 256 bits in kernels.

A number is a tuple of two or four 64-bit words, low word first, in two's complement. An array of numbers has
the words in its last dimensions: two `uint64`, or two by two. Functions are compiled for each size in use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from tercast.runtime.compiler import compile_inner

WideNumber = Any
"""A tuple of words."""

WideNumbers = Any
"""An array of numbers."""

MAX_BITS = 124
"""Largest number of bits of a value of two words."""

MAX_WIDE_BITS = 252
"""Largest number of bits of a value of four words."""

_WORD = 64
_SHAPES = {2: (2,), 4: (2, 2)}


def packed(values: Sequence[int], words: int = 2) -> WideNumbers:
    """Create the array of numbers of `words` words that kernels take."""
    whole = b"".join([value.to_bytes(8 * words, "little", signed=True) for value in values])
    return np.frombuffer(whole, np.uint64).reshape(len(values), *_SHAPES[words])


def unpacked(numbers: WideNumbers) -> list[int]:
    """The non-negative integers of an array of numbers."""
    if numbers.ndim == 2:
        return [low | high << _WORD for low, high in numbers.tolist()]
    size = 4 * _WORD // 8
    whole = numbers.tobytes()
    return [int.from_bytes(whole[at : at + size], "little") for at in range(0, len(whole), size)]


def _words_of(kind: Any) -> int:
    """The number of words of a number, or of each number of an array."""
    return int(kind.count if isinstance(kind, types.UniTuple) else 2 ** (kind.ndim - 1))


def _tuple_of(kind: Any) -> Any:
    return types.UniTuple(types.uint64, _words_of(kind))  # type: ignore[no-untyped-call]


def _long_of(kind: Any) -> Any:
    """The LLVM integer of a number."""
    return ir.IntType(_WORD * _words_of(kind))


def _whole(builder: Any, kind: Any, value: Any) -> Any:
    """One LLVM integer with all words of a number."""
    long = _long_of(kind)
    out = builder.zext(builder.extract_value(value, 0), long)
    for i in range(1, _words_of(kind)):
        word = builder.zext(builder.extract_value(value, i), long)
        out = builder.or_(out, builder.shl(word, ir.Constant(long, _WORD * i)))
    return out


def _words(builder: Any, kind: Any, value: Any) -> Any:
    """The number of one LLVM integer."""
    word, count = ir.IntType(_WORD), _words_of(kind)
    out = ir.Constant(ir.ArrayType(word, count), ir.Undefined)
    for i in range(count):
        moved = builder.lshr(value, ir.Constant(_long_of(kind), _WORD * i))
        out = builder.insert_value(out, builder.trunc(moved, word), i)
    return out


def _binary(build: Callable[[Any, Any, Any], Any], result: Any = None) -> Any:
    """Create an operation on two numbers; `result`: its type, if it is not a number."""

    def operation(_: Any, x: Any, y: Any) -> Any:
        def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            made = build(builder, *[_whole(builder, x, value) for value in arguments])
            return made if result else _words(builder, x, made)

        kind = _tuple_of(x)
        return (result or kind)(kind, kind), generate

    return intrinsic(operation)


def _shift(name: str) -> Any:
    """Create a shift of a number by an integer."""

    def operation(_: Any, x: Any, places: Any) -> Any:
        def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            by = builder.zext(arguments[1], _long_of(x))
            return _words(builder, x, getattr(builder, name)(_whole(builder, x, arguments[0]), by))

        kind = _tuple_of(x)
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

    def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(_whole(builder, x, arguments[0]), ir.Constant(ir.IntType(1), 0))
        bits = builder.sub(ir.Constant(_long_of(x), _WORD * _words_of(x)), zeros)
        return builder.trunc(bits, ir.IntType(_WORD))

    return types.int64(_tuple_of(x)), generate


bits_of: Any = intrinsic(_bit_length)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """The address of a number of an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(builder.bitcast(data, _long_of(kind).as_pointer()), [at])


def _read(_: Any, numbers: Any, at: Any) -> Any:
    """The number at a position."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.load(_pointer(context, builder, numbers, *arguments), align=8)
        return _words(builder, numbers, value)

    return _tuple_of(numbers)(numbers, types.int64), generate


def _write(_: Any, numbers: Any, at: Any, value: Any) -> Any:
    """Store a number at a position."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target = _pointer(context, builder, numbers, *arguments[:2])
        builder.store(_whole(builder, numbers, arguments[2]), target, align=8)
        return context.get_dummy_value()

    return types.void(numbers, types.int64, _tuple_of(numbers)), generate


def _number(_: Any, like: Any, value: Any) -> Any:
    """A non-negative integer as a number of the size of `like`, a number or an array."""

    def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _words(builder, like, builder.zext(arguments[1], _long_of(like)))

    return _tuple_of(like)(like, types.int64), generate


def _small(_: Any, value: Any) -> Any:
    """The number as an integer; it has at most 63 bits."""

    def generate(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_value(arguments[0], 0)

    return types.int64(_tuple_of(value)), generate


read: Any = intrinsic(_read)
write: Any = intrinsic(_write)
number: Any = intrinsic(_number)
small: Any = intrinsic(_small)


@compile_inner
def empty(like: WideNumbers, count: int) -> WideNumbers:
    """Create an array for `count` numbers of the size of those in `like`."""
    return np.empty((count, *like.shape[1:]), np.uint64)
