"""Dictionaries of the CUDA Array Interface that are refused, each with the reason, and without keeping the object."""

import gc
import sys
import weakref

import numpy as np
import pytest
from interop.producers import LEFT_OUT, Foreign
from treadle import cuda

FAR = 1 << 62


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def check_refusal(fields, error, message):
    """Refused by an import and as an argument; nothing is written, and the object is dropped."""
    foreign = Foreign(np.arange(1.0, 7), **fields)
    owner = weakref.ref(foreign)
    with pytest.raises(error) as found:
        cuda.as_cuda_array(foreign)
    assert message in str(found.value)
    argument_error = error if error in (NotImplementedError, UnicodeEncodeError) else TypeError
    with pytest.raises(argument_error) as found:
        double[1, 32](foreign)
    if argument_error is TypeError:
        assert "argument 1 ('x') is of type Foreign" in str(found.value) and message in str(found.value)
    assert foreign.host.tolist() == [1, 2, 3, 4, 5, 6]
    del foreign, found
    gc.collect()
    assert owner() is None


KEYS = {
    "no version": ({"version": LEFT_OUT}, ValueError, "no key 'version'"),
    "no shape": ({"shape": LEFT_OUT}, ValueError, "no key 'shape'"),
    "no typestr": ({"typestr": LEFT_OUT}, ValueError, "no key 'typestr'"),
    "no data": ({"data": LEFT_OUT}, ValueError, "no key 'data'"),
    "version text": ({"version": "3"}, TypeError, "version must be an int"),
    "version bool": ({"version": True}, TypeError, "version must be an int"),
    "version negative": ({"version": -1}, ValueError, "version must be 0 to 3"),
    "version wide": ({"version": 1 << 70}, ValueError, "version does not fit"),
    "shape list": ({"shape": [6]}, TypeError, "shape must be a tuple"),
    "shape None": ({"shape": None}, TypeError, "shape must be a tuple"),
    "shape float": ({"shape": (6.0,)}, TypeError, "shape must be a tuple of ints"),
    "shape bool": ({"shape": (True,)}, TypeError, "shape must be a tuple of ints"),
    "strides list": ({"strides": [8]}, TypeError, "strides must be a tuple"),
    "strides float": ({"strides": (8.0,)}, TypeError, "strides must be a tuple of ints"),
    "typestr int": ({"typestr": 8}, TypeError, "typestr must be a str"),
    "typestr bytes": ({"typestr": b"<f8"}, TypeError, "typestr must be a str"),
    "descr text": ({"typestr": "|V8", "descr": "x"}, TypeError, "descr must be a list"),
    "data address": ({"data": 5}, TypeError, "data must be a tuple"),
    "data short": ({"data": (5,)}, TypeError, "data must be a tuple"),
    "data text": ({"data": ("5", False)}, TypeError, "data must be a tuple"),
    "data int": ({"data": (4096, 0)}, TypeError, "data must be a tuple"),
}


@pytest.mark.parametrize("what", KEYS)
def test_keys_that_are_missing_or_of_a_wrong_type(what):
    check_refusal(*KEYS[what])


@pytest.mark.parametrize("shown", [3, None, [("shape", (6,))], object()])
def test_what_is_no_dictionary(shown):
    class Wrong:
        __cuda_array_interface__ = shown

    with pytest.raises(TypeError, match="must be a dict"):
        cuda.as_cuda_array(Wrong())


LAYOUTS = {
    "shape negative": ({"shape": (-1,)}, ValueError, "-1"),
    "shape overflow": ({"shape": (FAR,)}, ValueError, ""),
    "shape product": ({"shape": (1 << 31, 1 << 31, 2), "strides": None}, ValueError, ""),
    "shape wide": ({"shape": (1 << 64,)}, ValueError, "shape does not fit"),
    "dimensions": ({"shape": (1,) * 9, "strides": None}, BufferError, "at most 8 dimensions"),
    "strides short": ({"strides": ()}, ValueError, "one number for each dimension: 1, found 0"),
    "strides long": ({"strides": (8, 8)}, ValueError, "one number for each dimension: 1, found 2"),
    "strides far": ({"strides": (FAR,)}, BufferError, ""),
    "strides uneven": ({"strides": (12,), "shape": (3,)}, BufferError, "multiples of 8 bytes"),
}


@pytest.mark.parametrize("what", LAYOUTS)
def test_extents_and_strides_that_no_array_has(what):
    check_refusal(*LAYOUTS[what])


TYPES = {
    "typestr empty": ({"typestr": ""}, ValueError, "typestr must be a byte order"),
    "typestr short": ({"typestr": "f8"}, ValueError, "typestr must be a byte order"),
    "typestr kind": ({"typestr": "<x8"}, ValueError, "typestr must be a byte order"),
    "typestr size": ({"typestr": "<f8x"}, ValueError, "typestr must be a byte order"),
    "typestr surrogate": ({"typestr": "<\udc80"}, UnicodeEncodeError, ""),
    "foreign order": ({"typestr": ">f8"}, BufferError, "byte order"),
    "no order": ({"typestr": "|f8"}, BufferError, "do not have: '|f8'"),
    "half of another order": ({"typestr": ">f2"}, BufferError, "byte order"),
    "integer of 3 bytes": ({"typestr": "<i3"}, BufferError, "do not have"),
    "bits": ({"typestr": "<t8"}, BufferError, "do not have"),
    "objects": ({"typestr": "|O8"}, BufferError, "do not have"),
    "no bytes": ({"typestr": "|V0"}, BufferError, "do not have"),
    "text without order": ({"typestr": "|U2"}, BufferError, "do not have"),
    "dates of another order": ({"typestr": ">M8[ns]"}, BufferError, "byte order"),
    "dates of no unit": ({"typestr": "<M8[x]"}, BufferError, "do not have"),
    "descr of numbers": ({"typestr": "|V8", "descr": [3]}, ValueError, "describes no records"),
    "descr short": ({"typestr": "|V8", "descr": [("a",)]}, ValueError, "describes no records"),
    "descr unknown": ({"typestr": "|V8", "descr": [("a", "nonsense")]}, ValueError, "describes no records"),
    "descr bytes": ({"typestr": "|V8", "descr": [("a", "<i4")]}, ValueError, "4 bytes, and typestr is"),
    "descr of objects": ({"typestr": "|V8", "descr": [("a", "|O8")]}, BufferError, "fields of types"),
}


@pytest.mark.parametrize("what", TYPES)
def test_elements_that_no_array_has(what):
    check_refusal(*TYPES[what])


ADDRESSES = {
    "data wide": ({"data": (1 << 64, False)}, ValueError, "address that does not fit"),
    "data negative": ({"data": (-8, False)}, ValueError, "address that does not fit"),
    "data 0": ({"data": (0, False)}, BufferError, "address is 0"),
    "data None": ({"data": (None, False)}, BufferError, "address is 0"),
    "data at the end": ({"data": ((1 << 64) - 8, False)}, BufferError, "address space"),
    "data beyond user space": ({"data": (1 << 63, False)}, BufferError, "address space"),
    "misaligned": ({"data": (4097, False)}, BufferError, "multiples of 8 bytes"),
}


@pytest.mark.parametrize("what", ADDRESSES)
def test_addresses_that_no_array_has(what):
    check_refusal(*ADDRESSES[what])


STREAMS = {
    "stream 0": ({"stream": 0}, ValueError, "either default stream"),
    "stream negative": ({"stream": -1}, ValueError, "found -1"),
    "stream float": ({"stream": 1.0}, TypeError, "stream must be an int"),
    "stream bool": ({"stream": True}, TypeError, "stream must be an int"),
    "stream unknown": ({"stream": 99}, ValueError, "no stream of the device"),
}


@pytest.mark.parametrize("what", STREAMS)
def test_streams_that_are_none(what):
    check_refusal(*STREAMS[what])


MASKS = {
    "mask": ({"mask": np.ones(6, bool)}, NotImplementedError, "mask"),
    "mask in version 0": ({"mask": np.ones(6, bool), "version": 0}, NotImplementedError, "mask"),
}


@pytest.mark.parametrize("what", MASKS)
def test_masks(what):
    check_refusal(*MASKS[what])


def test_refused_objects_are_not_kept():
    for fields, error, _ in [
        *KEYS.values(),
        *LAYOUTS.values(),
        *TYPES.values(),
        *ADDRESSES.values(),
        *STREAMS.values(),
    ]:
        foreign = Foreign(np.arange(1.0, 7), **fields)
        references = sys.getrefcount(foreign)
        with pytest.raises(error):
            cuda.as_cuda_array(foreign)
        with pytest.raises((TypeError, UnicodeEncodeError)):
            double[1, 32](foreign)
        assert sys.getrefcount(foreign) == references
