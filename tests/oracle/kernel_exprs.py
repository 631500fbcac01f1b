# Translates a kernel's expressions into typed Python code: each operation and conversion is a call of the oracle.

import ast
import math
from typing import NamedTuple

from oracle import kernel_values as kv
from oracle import number_rules as nr
from oracle import number_types as nt
from oracle.kernel_values import Rejected

UNIFORM, AFFINE, VARYING = 0, 1, 2
TYPE_OBJECTS = {name: name for name in nt.ALL} | {"boolean": "bool", "intp": "int64", "uintp": "uint64"}
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


class ArrayType(NamedTuple):
    dtype: str
    ndim: int


class TupleType(NamedTuple):
    items: tuple


class RecordType(NamedTuple):
    fields: tuple  # of (name, type)


class Value(NamedTuple):
    """Code of an expression, its type, how it varies over a warp, and its value where it is a literal."""

    code: str
    type: object
    shape: int = UNIFORM
    literal: object = None
    is_literal: bool = False
    is_product: bool = False
    """Of floats: a sum that takes it may be contracted with it, and then rounds once instead of twice."""

    @property
    def operand(self):
        return nr.Operand(self.type, self.literal, self.is_literal)


def _is_power(value):
    """A literal power of two: multiplying by it is exact."""
    return value.is_literal and value.literal != 0 and math.frexp(value.literal)[0] in (0.5, -0.5)


def combine(op, *shapes):
    """How a result varies: sums, multiples and comparisons of affine values count as affine."""
    if max(shapes) != AFFINE:
        return max(shapes)
    keeps = op in ("+", "-", "convert", "<", "and", "not") or (op == "*" and min(shapes) == UNIFORM)
    return AFFINE if keeps else VARYING


class Expressions:
    """Mixed into the translator, which provides `env`, `rules`, `helpers`, `note(kind, shape)` and `fresh()`."""

    def value(self, node):
        return getattr(self, "value_" + type(node).__name__, self._unknown)(node)

    def _unknown(self, node):
        raise Rejected(f"the oracle does not model {ast.unparse(node)}")

    def keep(self, value):
        """Notes that a value is stored where a sum may find it later."""
        self.module.may_contract |= value.is_product
        return value

    def converted(self, value, target):
        """The value's code, converted; tuples item by item."""
        if value.type == target:
            return value.code
        if isinstance(target, TupleType) and isinstance(value.type, TupleType):
            name = self.fresh()
            items = [
                self.converted(Value(f"{name}[{k}]", item), wanted)
                for k, (item, wanted) in enumerate(zip(value.type.items, target.items, strict=True))
            ]
            return f"(({name} := {value.code}), ({', '.join(items)},))[1]"
        if not isinstance(value.type, str) or not isinstance(target, str):
            raise Rejected(f"{value.type} to {target}")
        try:
            return self.helpers.convert(value.code, value.type, target)
        except TypeError as error:
            raise Rejected(str(error)) from None

    def condition(self, node):
        """Code of a truth test; NaN is true."""
        value = self.value(node)
        return Value(value.code if value.type == nt.BOOL else f"bool({value.code})", nt.BOOL, value.shape)

    def value_Constant(self, node):
        if not isinstance(node.value, (bool, int, float)):
            raise Rejected(f"literal {node.value!r}")
        return Value(repr(node.value), nr.literal_type(node.value), UNIFORM, node.value, True)

    def value_Name(self, node):
        if node.id in self.module.constants:
            return self.captured(self.module.constants[node.id])
        if node.id not in self.env:
            raise Rejected(f"{node.id} may be unset")
        ty, shape = self.env[node.id]
        return Value("v_" + node.id, ty, shape)

    def captured(self, node):
        """A number of Python counts as a literal; one of NumPy, written as np.int16(5), has a type."""
        if not isinstance(node, ast.Call):
            return self.value(node)
        ty = node.func.attr
        return Value(self.converted(self.value(node.args[0]), ty), ty)

    def value_UnaryOp(self, node):
        op = OPERATORS[type(node.op)]
        if op == "-" and isinstance(node.operand, ast.Constant):
            negative = -node.operand.value
            return Value(f"({negative!r})", nr.literal_type(negative), UNIFORM, negative, True)
        operand = self.keep(self.value(node.operand))
        result = nr.unary(self.rules, op, operand.operand)
        if result is None:
            raise Rejected(f"{op}{operand.type}")
        if self.rules == nr.CUDA_PYTHON and operand.is_literal and op != "not":
            value = kv.ops.unary(op, result, operand.literal)
            return Value(f"({value!r})", result, UNIFORM, value, True)
        computed = nr.unary_computed(self.rules, op, operand.operand)
        code = self.helpers.unary(op, computed, self.converted(operand, computed))
        if op != "not":
            code = self.converted(Value(code, computed), result)
        return Value(code, result, combine(op, operand.shape))

    def value_BinOp(self, node):
        return self.binary(OPERATORS[type(node.op)], self.value(node.left), self.value(node.right))

    def binary(self, op, left, right):
        if not isinstance(left.type, str) or not isinstance(right.type, str):
            raise Rejected(f"{left.type} {op} {right.type}")
        typing = nr.binary(self.rules, op, left.operand, right.operand)
        if typing is None:
            raise Rejected(f"{left.type} {op} {right.type}")
        if self.rules == nr.CUDA_PYTHON and left.is_literal and right.is_literal:
            return self.folded(op, typing, left, right)
        code = self.helpers.binary(op, typing, self.converted(left, typing.left), self.converted(right, typing.right))
        inexact = op in ("*", "**") and nt.is_float(typing.result) and not (_is_power(left) or _is_power(right))
        self.module.may_contract |= op in ("+", "-") and (left.is_product or right.is_product)
        return Value(code, typing.result, combine(op, left.shape, right.shape), is_product=inexact)

    def folded(self, op, typing, left, right):
        """An expression of literals alone is a literal."""
        a = nt.convert(left.literal, left.type, typing.left)
        b = nt.convert(right.literal, right.type, typing.right)
        result = kv.any_is_rejected(kv.ops.binary(op, typing, a, b))
        return Value(f"({result!r})", typing.result, UNIFORM, result, True)

    def value_Compare(self, node):
        """Every operand is evaluated at most once, and only if the preceding comparisons are true."""
        if sign := self.sign_of_function(node):
            return sign
        if len(node.ops) > 1:
            self.note("chained comparison", None)
        left, parts, shape = self.value(node.left), [], UNIFORM
        for position, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.value(right_node)
            again = right
            if position + 1 < len(node.ops):
                name = self.fresh()
                right, again = right._replace(code=f"({name} := {right.code})"), right._replace(code=name)
            typing = nr.compare(self.rules, OPERATORS[type(op)], left.operand, right.operand)
            if typing is None:
                raise Rejected("comparison of complex numbers")
            parts.append(
                f"({self.converted(left, typing.left)} {OPERATORS[type(op)]} {self.converted(right, typing.right)})"
            )
            shape = max(shape, combine("<", left.shape, right.shape))
            left = again
        return Value(f"({' and '.join(parts)})", nt.BOOL, shape)

    def sign_of_function(self, node):
        """`math.sin(x) < 0.0` and the like: whatever the error of a function within its bounds, its sign is right."""
        left = node.left
        if not (isinstance(left, ast.Call) and ast.unparse(left.func) in kv.SIGNS and len(node.ops) == 1):
            return None
        if not isinstance(node.ops[0], ast.Lt) or ast.unparse(node.comparators[0]) != "0.0":
            return None
        code, _, shape = self._math_operand(left)
        name = ast.unparse(left.func)
        symbol = self.helpers.function(name.replace(".", "_"), lambda: kv.is_negative(name))
        return Value(f"{symbol}({code})", nt.BOOL, shape)

    def value_BoolOp(self, node):
        """Operands that are not taken do not run."""
        values = self.conditional_values(node.values)
        self.note("short circuit", max(v.shape for v in values))
        common = self.unified(values)
        word = " and " if isinstance(node.op, ast.And) else " or "
        shape = combine("and", *(v.shape for v in values))
        return Value(f"({word.join(self.converted(v, common) for v in values)})", common, shape)

    def value_IfExp(self, node):
        test = self.condition(node.test)
        then, other = self.conditional_values([node.body, node.orelse])
        self.note("conditional expression", test.shape)
        common = self.unified([then, other])
        shape = max(then.shape, other.shape) if test.shape == UNIFORM else VARYING
        self.keep(then), self.keep(other)
        code = f"({self.converted(then, common)} if {test.code} else {self.converted(other, common)})"
        return Value(code, common, shape)

    def conditional_values(self, nodes):
        """Operands of which not all are evaluated: binding a name there is not modelled."""
        before = dict(self.env)
        values = [self.value(node) for node in nodes]
        if self.env != before:
            raise Rejected("a name bound in a part of an expression that may not run")
        return values

    def unified(self, values):
        """Their common type; literals combined with other types are not modelled under the cuda-python rules."""
        common = values[0].type
        for value in values[1:]:
            if value.type == common:
                continue
            if not isinstance(common, str) or not isinstance(value.type, str):
                raise Rejected(f"{common} meets {value.type}")
            if self.rules == nr.CUDA_PYTHON and any(v.is_literal for v in values):
                raise Rejected("a literal meets a type")
            common = nr.unify(common, value.type)
        return common

    def value_NamedExpr(self, node):
        value = self.keep(self.value(node.value))
        self.note("walrus", value.shape)
        self.bind(node.target.id, value.type, value.shape)
        return value._replace(code=f"(v_{node.target.id} := {value.code})", is_literal=False)

    def value_Tuple(self, node):
        items = [self.keep(self.value(item)) for item in node.elts]
        code = "".join(item.code + ", " for item in items)
        return Value(f"({code})", TupleType(tuple(v.type for v in items)), max(v.shape for v in items))

    def value_Subscript(self, node):
        base = self.value(node.value)
        if isinstance(base.type, TupleType):
            index = self.value(node.slice)
            if not index.is_literal:
                raise Rejected("a tuple's run-time index")
            return Value(f"{base.code}[{index.literal}]", base.type.items[index.literal], base.shape)
        codes, shape = self.indices(base, node.slice)
        self.note("load", shape)
        name = "load1" if len(codes) == 1 else "load"
        return Value(f"{name}({base.code}, {', '.join(codes)})", base.type.dtype, min(2 * shape, VARYING))

    def indices(self, base, node):
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        if not isinstance(base.type, ArrayType) or base.type.ndim != len(nodes):
            raise Rejected("partial index")
        values = [self.value(item) for item in nodes]
        if not all(nt.is_int(v.type) for v in values):
            raise Rejected("index is no integer")
        if any(v.is_literal and v.literal < 0 for v in values):
            self.note("negative literal index", max(v.shape for v in values))
        return [v.code for v in values], max(v.shape for v in values)

    def value_Attribute(self, node):
        text = ast.unparse(node)
        if text.startswith("cuda."):
            return self.thread_value(text.removeprefix("cuda."))
        base = self.value(node.value)
        if isinstance(base.type, RecordType) and node.attr in dict(base.type.fields):
            return Value(f"{base.code}[{node.attr!r}]", dict(base.type.fields)[node.attr], base.shape)
        if isinstance(base.type, str) and nt.is_complex(base.type) and node.attr in ("real", "imag"):
            return Value(f"{base.code}.{node.attr}", nt.part(base.type), base.shape)
        if not isinstance(base.type, ArrayType):
            raise Rejected(text)
        if node.attr == "shape":
            return Value(f"{base.code}.shape", TupleType(("int64",) * base.type.ndim))
        if node.attr in ("size", "ndim"):
            code = f"{base.code}.size" if node.attr == "size" else str(base.type.ndim)
            return Value(code, "int64")
        raise Rejected(text)

    def thread_value(self, text):
        base, _, axis = text.partition(".")
        where = {"threadIdx": 0, "blockIdx": 3, "blockDim": 6, "gridDim": 9}.get(base)
        if where is None or axis not in ("x", "y", "z"):
            raise Rejected("cuda." + text)
        return Value(f"t[{where + 'xyz'.index(axis)}]", "int32", AFFINE if base == "threadIdx" else UNIFORM)


class Calls:
    """Calls, also mixed into the translator."""

    def value_Call(self, node):
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise Rejected(ast.unparse(node))
        text = ast.unparse(node.func)
        if text in TYPE_OBJECTS and len(node.args) == 1:
            value = self.value(node.args[0])
            target = TYPE_OBJECTS[text]
            return Value(self.converted(value, target), target, combine("convert", value.shape))
        if text in self.functions:
            return self.call_function(text, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in kv.METHODS:
            return self.integer_method(node.func)
        method = getattr(self, "call_" + text.replace(".", "_"), None)
        if method is None:
            raise Rejected(ast.unparse(node))
        return method(node)

    def call_function(self, name, node):
        arguments = [self.keep(self.value(a)) for a in node.args]
        shape = combine("call", *(a.shape for a in arguments)) if arguments else VARYING
        self.note("device function call", shape)
        symbol, result = self.translate_function(name, tuple(a.type for a in arguments))
        code = f"{symbol}({', '.join(['t', *(a.code for a in arguments)])})"
        return Value(code, result, shape)

    def call_abs(self, node):
        operand = self.value(node.args[0])
        ty = nr.absolute(self.rules, operand.operand)
        if ty == nr.UNSPECIFIED:
            raise Rejected("abs of a bool")
        name = self.helpers.function(f"abs_{ty}", lambda: lambda v: kv.ops.absolute(ty, v))
        return Value(f"{name}({operand.code})", ty, combine("abs", operand.shape))

    def _min_max(self, op, node):
        result = self.value(node.args[0])
        for item in node.args[1:]:
            right = self.value(item)
            typing = nr.min_max(self.rules, result.operand, right.operand)
            if typing is None:
                raise Rejected("min or max of complex numbers")
            code = self.helpers.min_max(
                op, typing.result, self.converted(result, typing.left), self.converted(right, typing.right)
            )
            result = Value(code, typing.result, combine(op, result.shape, right.shape))
        return result

    def call_min(self, node):
        return self._min_max("min", node)

    def call_max(self, node):
        return self._min_max("max", node)

    def call_len(self, node):
        return Value(f"{self.value(node.args[0]).code}.shape[0]", "int64")

    def _math_operand(self, node):
        value = self.value(node.args[0])
        ty = nr.math_float(self.rules, value.operand)
        return self.converted(value, ty), ty, combine("math", value.shape)

    def call_math_sqrt(self, node):
        code, ty, shape = self._math_operand(node)
        return Value(f"{self.helpers.function(f'sqrt_{ty}', lambda: kv.sqrt(ty))}({code})", ty, shape)

    def call_math_fabs(self, node):
        code, ty, shape = self._math_operand(node)
        return Value(f"abs({code})", ty, shape)

    def _rounding(self, name, node):
        code, ty, shape = self._math_operand(node)
        result = "int64" if self.rules == nr.NUMBA else ty
        symbol = self.helpers.function(f"{name}_{ty}_{result}", lambda: kv.rounding(name, ty, result))
        return Value(f"{symbol}({code})", result, shape)

    def call_math_floor(self, node):
        return self._rounding("floor", node)

    def call_math_ceil(self, node):
        return self._rounding("ceil", node)

    def call_math_trunc(self, node):
        return self._rounding("trunc", node)

    def _of_two(self, name, node):
        """math.copysign or fmod of two floats of one type, which are exact."""
        left, right = (self.value(a) for a in node.args)
        if left.type != right.type or not nt.is_float(left.type):
            raise Rejected(ast.unparse(node))
        symbol = self.helpers.function(name, lambda: kv.TWO_FLOATS[name])
        return Value(f"{symbol}({left.code}, {right.code})", left.type, max(2 * left.shape, 2 * right.shape) // 2)

    def call_math_copysign(self, node):
        return self._of_two("copysign", node)

    def call_math_fmod(self, node):
        return self._of_two("fmod", node)

    def _bits(self, name, node):
        operand = self.value(node.args[0])
        ty = operand.type
        if ty not in ("int32", "uint32", "int64", "uint64"):
            raise Rejected(ast.unparse(node))
        symbol = self.helpers.function(f"{name}_{ty}", lambda: kv.bit_function(name, ty))
        result = nt.int_type(nt.bits(ty), signed=False) if name == "brev" else "int32"
        return Value(f"{symbol}({operand.code})", result, combine(name, operand.shape))

    def call_cuda_popc(self, node):
        return self._bits("popc", node)

    def call_cuda_clz(self, node):
        return self._bits("clz", node)

    def call_cuda_ffs(self, node):
        return self._bits("ffs", node)

    def call_cuda_brev(self, node):
        return self._bits("brev", node)

    def integer_method(self, node):
        """`n.bit_length()` and `n.bit_count()`, Python's."""
        operand = self.value(node.value)
        if not nt.is_int(operand.type):
            raise Rejected(ast.unparse(node))
        symbol = self.helpers.function(node.attr, lambda: kv.METHODS[node.attr])
        return Value(f"{symbol}({operand.code})", "int64", combine(node.attr, operand.shape))

    def call_math_gcd(self, node):
        left, right = (self.value(a) for a in node.args)
        if left.type != "int64" or right.type != "int64":
            raise Rejected(ast.unparse(node))
        code = f"{self.helpers.function('gcd', lambda: kv.gcd)}({left.code}, {right.code})"
        return Value(code, "int64", combine("gcd", left.shape, right.shape))

    def call_math_isqrt(self, node):
        operand = self.value(node.args[0])
        if operand.type != "int64":
            raise Rejected(ast.unparse(node))
        code = f"{self.helpers.function('isqrt', lambda: kv.isqrt)}({operand.code})"
        return Value(code, "int64", combine("isqrt", operand.shape))

    def call_math_isnan(self, node):
        code, _, shape = self._math_operand(node)
        return Value(f"math.isnan({code})", nt.BOOL, shape)

    def call_cuda_grid(self, node):
        n = node.args[0].value
        codes = [f"(t[{3 + k}] * t[{6 + k}] + t[{k}])" for k in range(n)]
        return self._per_axis(codes, AFFINE)

    def call_cuda_gridsize(self, node):
        return self._per_axis([f"(t[{6 + k}] * t[{9 + k}])" for k in range(node.args[0].value)], UNIFORM)

    def _per_axis(self, codes, shape):
        if len(codes) == 1:
            return Value(codes[0], "int64", shape)
        return Value(f"({', '.join(codes)})", TupleType(("int64",) * len(codes)), shape)

    def call_cuda_shared_array(self, node):
        shape = tuple(d.value for d in (node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]))
        dtype = TYPE_OBJECTS[ast.unparse(node.args[1])]
        self.note("shared array", UNIFORM)
        return Value(f"t[12]({node.lineno}, {shape!r}, {dtype!r})", ArrayType(dtype, len(shape)))

    def _atomic(self, op, node):
        base = self.value(node.args[0])
        codes, shape = self.indices(base, node.args[1])
        self.note(f"atomic {op}", shape)
        ty = base.type.dtype
        if not nt.is_int(ty):
            raise Rejected("the order of atomic operations on floats is free")
        value = self.converted(self.value(node.args[2]), ty)
        apply = self.helpers.function(f"atomic_{op}_{ty}", lambda: kv.atomic_function(op, ty))
        return Value(f"atomic({base.code}, ({', '.join(codes)},), {value}, {apply})", None, VARYING)

    def call_cuda_atomic_add(self, node):
        return self._atomic("add", node)

    def call_cuda_atomic_max(self, node):
        return self._atomic("max", node)

    def call_cuda_atomic_min(self, node):
        return self._atomic("min", node)

    def call_cuda_atomic_and_(self, node):
        return self._atomic("and_", node)

    def call_cuda_atomic_or_(self, node):
        return self._atomic("or_", node)

    def call_cuda_atomic_xor(self, node):
        return self._atomic("xor", node)
