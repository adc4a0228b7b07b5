# SPDX-License-Identifier: Apache-2.0
"""Reads JSON into the types that it should have: what programs print, what result files hold."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import (
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

UNION = getattr(types, "UnionType", Union)  # of `a | b`


class Misfit(ValueError):  # noqa: N818 - says what is wrong
    """Something does not have the type that it should have; the text says where, and what it is."""


def parse_json(text: str | bytes) -> Any:
    """Reads JSON text. Raises Misfit."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # no JSON, no text, or too deep
        raise Misfit(f"no JSON: {error}") from error


def fit(value: Any, wanted: Any, where: str = "") -> Any:
    """Returns the value as `wanted`.

    That is a type, a generic one of `typing`, a dataclass, which is made of a mapping that may hold
    more, or a mapping of names to such. Numbers have to be finite. Raises Misfit.
    """
    own = type(value)  # of most values at once, because there are many samples
    if own is wanted and (own in (str, int, bool) or (own is float and math.isfinite(value))):
        return value
    if wanted is Any:
        return value
    if isinstance(wanted, Mapping):
        return _fit_fields(value, wanted, {}, where)
    if dataclasses.is_dataclass(wanted) and isinstance(wanted, type):
        types, defaults = _fields_of(wanted)
        return wanted(**_fit_fields(value, types, defaults, where))
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is None:
        return _fit_plain(value, wanted, where)
    if origin is Literal:
        _require(value in arguments, " or ".join(map(str, arguments)), where)
        return value
    if origin in (Union, UNION):
        return _fit_union(value, arguments, where)
    if origin is tuple and arguments[-1] is not Ellipsis:
        _require(isinstance(value, (list, tuple)) and len(value) == len(arguments), wanted, where)
        return tuple(
            fit(item, kind, _at(where, at)) for at, (item, kind) in enumerate(zip(value, arguments))
        )
    if origin is dict:
        _require(isinstance(value, dict), wanted, where)
        return {key: fit(item, arguments[1], _at(where, key)) for key, item in value.items()}
    if arguments:  # a list, or what else is read as one
        _require(isinstance(value, (list, tuple)), wanted, where)
        items = (fit(item, arguments[0], _at(where, at)) for at, item in enumerate(value))
        return tuple(items) if origin is tuple else list(items)
    return _fit_plain(value, wanted, where)


def _fit_fields(
    value: Any, types: Mapping[str, Any], defaults: Mapping[str, Any], where: str
) -> dict[str, Any]:
    _require(isinstance(value, dict), "an object", where)
    found = {}
    for name, kind in types.items():
        if name in value:
            found[name] = fit(value[name], kind, _at(where, name))
        elif name not in defaults:
            raise Misfit(f"{_at(where, name)}: is missing")
    return found


def _fit_union(value: Any, kinds: tuple[Any, ...], where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    errors = []
    for kind in kinds:
        try:
            return fit(value, kind, where)
        except Misfit as error:
            errors.append(error)
    raise errors[0]


def _fit_plain(value: Any, wanted: Any, where: str) -> Any:
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        _require(abs(value) < 10**300, wanted, where)
        return float(value)
    if wanted is Path:
        return Path(_fit_plain(value, str, where))
    _require(
        isinstance(value, wanted) and isinstance(value, bool) is (wanted is bool), wanted, where
    )
    _require(not isinstance(value, float) or math.isfinite(value), "a finite number", where)
    return value


@lru_cache(maxsize=None)
def _fields_of(kind: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Returns the types of a dataclass's fields, and those that have a default."""
    hints = get_type_hints(kind)
    fields = dataclasses.fields(kind)
    missing = dataclasses.MISSING
    return {field.name: hints[field.name] for field in fields}, {
        field.name: None
        for field in fields
        if field.default is not missing or field.default_factory is not missing
    }


def _at(where: str, part: object) -> str:
    return f"{where}.{part}" if where else str(part)


def _require(is_so: bool, wanted: object, where: str) -> None:
    if not is_so:
        name = getattr(wanted, "__name__", str(wanted).replace("typing.", ""))
        raise Misfit(f"{where or 'all of it'}: is not {name}")
