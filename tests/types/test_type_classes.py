"""The classes of treadle.types (E4, E5): isinstance, constructors, attributes; typeof, from_dtype, as_dtype."""

import pickle
from collections import namedtuple

import numpy as np
import pytest
from treadle import cuda, errors, from_dlpack, types, void
from treadle.types import complex64, complex128, float32, float64, int8, int32, int64, intp, uint8, uint64

Point = namedtuple("Point", "x y")
Mixed = namedtuple("Mixed", "x y")
BODY = np.dtype([("mass", "f4"), ("name", "i8")], align=True)

KINDS = {
    "int32": (int32, {"Integer", "Number", "Hashable"}),
    "uint64": (uint64, {"Integer", "Number", "Hashable"}),
    "float32": (float32, {"Float", "Number", "Hashable"}),
    "complex64": (complex64, {"Complex", "Number", "Hashable"}),
    "boolean": (types.boolean, {"Boolean", "Hashable"}),
    "none": (types.none, {"NoneType", "Opaque", "Hashable"}),
    "array": (float32[:], {"Array", "Buffer", "IterableType", "Sized", "ArrayCompatible"}),
    "unituple": (types.UniTuple(int64, 2), {"UniTuple", "BaseTuple", "BaseAnonymousTuple", "Hashable", "Sized",
                                            "IterableType", "AbstractTuple"}),
    "tuple": (types.Tuple((int64, float32)), {"Tuple", "BaseTuple", "BaseAnonymousTuple", "Hashable", "Sized",
                                              "IterableType", "AbstractTuple"}),
    "named": (types.typeof(Point(1, 2)), {"UniTuple", "NamedUniTuple", "BaseNamedTuple", "BaseTuple", "Hashable",
                                          "Sized", "IterableType", "AbstractTuple"}),
    "mixed": (types.typeof(Mixed(1, 2.0)), {"Tuple", "NamedTuple", "BaseNamedTuple", "BaseTuple", "Hashable", "Sized",
                                            "IterableType", "AbstractTuple"}),
    "record": (types.from_dtype(BODY), {"Record"}),
    "optional": (types.Optional(int32), {"Optional"}),
}  # fmt: skip
CLASSES = sorted(set().union(*(names for _, names in KINDS.values())))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CLASSES)
def test_isinstance(kind, name):
    type_, names = KINDS[kind]
    assert isinstance(type_, getattr(types, name)) == (name in names)
    assert isinstance(type_, types.Type)
    assert not isinstance(3, getattr(types, name))
    assert not isinstance(float, getattr(types, name))


def test_issubclass():
    for inner, outer in (
        (types.Integer, types.Number), (types.Float, types.Number), (types.Complex, types.Number),
        (types.Number, types.Hashable), (types.Array, types.Type), (types.NamedTuple, types.BaseTuple),
        (types.NoneType, types.Opaque), (types.Record, types.Type),
    ):  # fmt: skip
        assert issubclass(inner, outer)
        assert not issubclass(outer, inner)
    assert not issubclass(types.Boolean, types.Number)


def test_constructors():
    assert types.Array(float32, 1, "C") is float32[::1]
    assert types.UniTuple(int64, 2) is types.Tuple((int64, int64))
    assert types.Integer("int32") is int32
    assert types.integer_domain == {int32, uint64, *types.signed_domain, *types.unsigned_domain}
    assert (
        len(types.number_domain) == 12
        and types.float32 in types.real_domain
        and types.complex64 in types.complex_domain
    )
    assert types.Float("float64") is float64
    assert types.Complex("complex64", float32) is complex64
    assert types.Boolean("bool") is types.boolean is types.bool
    assert types.NoneType("none") is types.none
    assert types.Number("uint8") is uint8
    for make in (lambda: types.Integer("float32"), lambda: types.Float("int8"), lambda: types.Complex("many")):
        with pytest.raises(ValueError, match="there is no such type"):
            make()
    for make in (types.Type, types.Record, lambda: types.Buffer(int8)):
        with pytest.raises(TypeError, match="types are made by from_dtype, typeof, Array"):
            make()


def test_attributes():
    array = types.Array(float32, 2, "F", readonly=True, aligned=False)
    assert (array.dtype, array.ndim, array.layout, array.mutable, array.aligned) == (float32, 2, "F", False, False)
    assert (float32[:].mutable, float32[:].aligned, float32[::1].is_c_contig) == (True, True, True)
    assert [t.is_contig for t in (float32[:], float32[::1], float32[::1, :])] == [False, True, True]
    assert [t.is_f_contig for t in (float32[:], float32[::1], float32[::1, :], float32[:, ::1])] == [
        False, True, True, False,
    ]  # fmt: skip
    assert float32[:, :].copy(ndim=1, layout="C") is float32[::1]
    assert array.copy(readonly=False) is types.Array(float32, 2, "F", aligned=False)
    assert (int8.bitwidth, int8.signed, int8.minval, int8.maxval) == (8, True, -128, 127)
    assert (uint64.minval, uint64.maxval) == (0, 2**64 - 1)
    assert complex128.underlying_float is float64
    assert (float32.name, float32.key, float32.is_precise(), float32.is_internal) == ("float32", "float32", True, False)
    assert types.Optional(int32).type is int32
    assert (types.UniTuple(int64, 3).count, types.UniTuple(int64, 3).dtype) == (3, int64)
    pair = types.Tuple((int64, float32))
    assert (pair.types, pair[0], pair[1], pair.count) == ((int64, float32), int64, float32, 2)
    assert intp.cast_python_value(3.0) == 3 and type(float32.cast_python_value(1)) is np.float32
    with pytest.raises(AttributeError, match="the type float32 has no attribute 'layer'"):
        float32.layer  # noqa: B018
    with pytest.raises(AttributeError):
        float32.minval  # noqa: B018


def test_attributes_of_records():
    body = types.from_dtype(BODY)
    assert body.fields == {"mass": float32, "name": int64}
    assert body.members == [("mass", float32), ("name", int64)]
    assert (body.typeof("name"), body.offset("name"), body.size) == (int64, 8, 16)
    assert types.Record.make_c_struct([("mass", float32), ("name", int64)]) is body
    with pytest.raises(KeyError, match="no field 'weight'"):
        body.offset("weight")


class TestUnalignedArrays:
    """E5: aligned=False is another type, which takes every array."""

    TYPE = types.Array(float64, 1, "C", aligned=False)

    def test_it_is_another_type(self):
        assert self.TYPE is not float64[::1]
        assert str(self.TYPE) == "unaligned array(float64, 1d, C)"
        assert pickle.loads(pickle.dumps(self.TYPE)) is self.TYPE
        records = types.Array(types.from_dtype(BODY), 1, "C", aligned=False)
        assert pickle.loads(pickle.dumps(records)) is records
        assert types.Array(float64, 1, "C", aligned=True) is float64[::1]

    def test_in_texts(self):
        kernel = cuda.jit("void(Array(float64, 1, 'C', aligned=False))")(lambda x: None)
        assert kernel.signatures == [(self.TYPE,)]

    def test_its_kernels_take_every_array(self):
        @cuda.jit(void(self.TYPE))
        def add(x):
            x[cuda.grid(1)] += 1

        aligned, odd = np.zeros(4), np.frombuffer(bytearray(33), np.float64, 4, offset=1)
        assert not odd.flags.aligned
        for x in (aligned, odd):
            add[1, 4](x)
            assert x.tolist() == [1, 1, 1, 1]

    def test_others_are_preferred(self):
        for signatures in ([void(self.TYPE), void(float64[::1])], [void(float64[::1]), void(self.TYPE)]):
            kernel = cuda.jit(signatures)(lambda x: None)
            kernel[1, 1](np.zeros(1))

    def test_ptx_assumes_no_alignment(self):
        def copy(x, y):
            y[0] = x[0]

        ptx, _ = cuda.compile_ptx(copy, void(self.TYPE, self.TYPE))
        assert "ld.global.b64" not in ptx and "ld.global.nc.f64" not in ptx and "ld.global.f64" not in ptx
        assert any(form in cuda.compile_ptx(copy, void(float64[::1], float64[::1]))[0] for form in ("64 ", "64\t"))


class TestOmitted:
    """E4."""

    def test_it_marks_a_default(self):
        omitted = types.Omitted(2)
        assert (str(omitted), omitted.value, omitted.name) == ("omitted(default=2)", 2, "omitted(default=2)")
        assert omitted == types.Omitted(2) != types.Omitted(2.0)
        assert hash(omitted) == hash(types.Omitted(2))
        assert isinstance(omitted, types.Omitted) and not isinstance(int64, types.Omitted)

    def test_in_a_signature_it_is_the_defaults_type(self):
        @cuda.jit(void(float32[:], types.Omitted(2)))
        def scale(x, factor=2):
            x[0] *= factor

        x = np.ones(1, np.float32)
        scale[1, 1](x)
        scale[1, 1](x, 5)
        assert x[0] == 10
        assert scale.signatures == [(float32[:], int64)]


def test_typeof():
    array = np.zeros((2, 3), np.float32)
    assert types.typeof(array) is float32[:, ::1]
    assert types.typeof(array.T) is float32[::1, :]
    assert types.typeof(array[:, 1]) is float32[:]
    assert types.typeof(cuda.to_device(array)) is float32[:, ::1]
    assert types.typeof(from_dlpack(array)) is float32[:, ::1]
    assert [types.typeof(x) for x in (1, 2.0, 1j, True, None, np.int8(1), np.float32(1))] == [
        int64, float64, complex128, types.boolean, types.none, int8, float32,
    ]  # fmt: skip
    assert types.typeof((1, (2.0, array))) is types.Tuple((int64, types.Tuple((float64, float32[:, ::1]))))
    with pytest.raises(TypeError):
        types.typeof({})


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16", "?", BODY])
def test_from_and_as_dtype(dtype):
    dtype = np.dtype(dtype)
    assert types.as_dtype(types.from_dtype(dtype)) == dtype
    assert types.as_dtype(types.typeof(np.zeros((), dtype)[()])) == dtype


def test_as_dtype_of_others():
    for type_ in (float32[:], types.none, types.UniTuple(int64, 2)):
        with pytest.raises(errors.NumbaNotImplementedError, match="cannot be represented as a NumPy dtype"):
            types.as_dtype(type_)


def test_absent_classes_say_what_to_use():
    with pytest.raises(AttributeError, match="Treadle has no 'numba.types.ListType'. Instead: kernels have no lists"):
        types.ListType  # noqa: B018
    with pytest.raises(AttributeError, match="module 'treadle.types' has no attribute 'Intger'"):
        types.Intger  # noqa: B018
