"""The C++ header of a file of images: a class that loads it, with a launch function for each kernel."""

from treadle.kernels.cpp_names import named, namespace, shown

_NUMBERS = {
    "bool": "bool", "int8": "std::int8_t", "int16": "std::int16_t", "int32": "std::int32_t", "int64": "std::int64_t",
    "uint8": "std::uint8_t", "uint16": "std::uint16_t", "uint32": "std::uint32_t", "uint64": "std::uint64_t",
    "float16": "float", "float32": "float", "float64": "double", "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
}  # fmt: skip

_HEAD = """// Launches the kernels of {file}, an image file of Treadle. Made with it: not to be edited.
#ifndef {guard}
#define {guard}

#include <complex>
#include <cstdint>

#include <treadle/treadle.h>

namespace {namespace} {{

/// The kernels of the file on one device. All functions return TREADLE_OK or another status; treadle_last_error() says
/// what is wrong. Launches may be made by any number of threads at once.
class Kernels {{
public:
  Kernels() = default;
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;
  ~Kernels() {{
    for (treadle_kernel kernel : kernels)
      if (kernel)
        treadle_kernel_free(kernel);
  }}

  /// Loads the file for the device. Called once, before any launch.
  treadle_status load(treadle_device device, const char *path) {{
    static const char *const names[] = {{{names}}};
    treadle_image_source source = {{}};
    source.struct_size = sizeof source;
    source.path = path;
    treadle_image image = nullptr;
    treadle_status status = treadle_image_load(device, &source, &image);
    for (int i = 0; status == TREADLE_OK && i < {count}; ++i)
      status = treadle_image_kernel(image, names[i], &kernels[i]);
    if (image)
      treadle_image_free(image);
    return status;
  }}
"""

_FUNCTION = """
  /// {signature}
  treadle_status {name}({parameters}) const {{
    treadle_argument arguments[{room}] = {{}};
{assignments}    return treadle_launch(kernels[{index}], &config, arguments, {count});
  }}
"""

_TAIL = """
private:
  treadle_kernel kernels[{count}] = {{}};
}};

/// A launch of `grid` blocks of `block` threads; the other fields of the result can be set.
inline treadle_launch_config launch(std::uint32_t grid, std::uint32_t block, treadle_stream stream = nullptr) {{
  treadle_launch_config config = {{}};
  config.struct_size = sizeof config;
  config.argument_size = sizeof(treadle_argument);
  config.grid[0] = grid;
  config.block[0] = block;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.stream = stream;
  return config;
}}

}} // namespace {namespace}

#endif // {guard}
"""

# Names that the generated functions use besides their parameters, and the class.
_OF_FUNCTIONS = ("arguments", "config", "kernels", "std")
_OF_THE_CLASS = ("Kernels", "kernels", "launch", "load", "std")


def header_text(file, kernels):
    """The header of a file of that name. `kernels`: [(name, kernel, signature, names of parameters)]. Raises ValueError
    for types that C++ programs cannot give."""
    space = namespace(file.split(".")[0])
    fields = {
        "file": shown(file), "guard": f"{space.upper()}_TREADLE_H", "namespace": space, "count": len(kernels),
    }  # fmt: skip
    names = ", ".join(f'"{name}"' for name, *_ in kernels)
    methods = named([name for name, *_ in kernels], _OF_THE_CLASS)
    functions = (_function(index, method, one) for index, (method, one) in enumerate(zip(methods, kernels)))
    return _HEAD.format(**fields, names=names) + "".join(functions) + _TAIL.format(**fields)


def _function(index, method, kernel_of_file):
    name, kernel, signature, parameters = kernel_of_file
    leaves = [leaf for given, type_ in zip(parameters, signature.args) for leaf in _leaves(given, type_, kernel)]
    names = named([given for given, _, _ in leaves], _OF_FUNCTIONS)
    listed = [f"{kind}{one}" for one, (_, kind, _) in zip(names, leaves) if kind]
    lines = (
        line.replace("$name", one).replace("$argument", f"arguments[{place}]")
        for place, (one, (_, _, statements)) in enumerate(zip(names, leaves)) for line in statements
    )  # fmt: skip
    return _FUNCTION.format(
        signature=f"{name}({', '.join(map(str, signature.args))})", name=method,
        parameters=", ".join(["const treadle_launch_config &config", *listed]), room=max(len(leaves), 1),
        assignments="".join(f"    {line}\n" for line in lines), index=index, count=len(leaves),
    )  # fmt: skip


def _leaves(name, type_, kernel):
    """[(name, type of C++, statements)] of one argument; items of tuples count one by one. Without a type there is no
    parameter. In the statements, $name is the parameter and $argument the place of the argument."""
    kind = type_._kind
    if kind == "none":
        return [(name, "", ["$argument.kind = TREADLE_ARGUMENT_NONE;"])]
    if kind == "tuple":
        return [leaf for i, item in enumerate(type_.types) for leaf in _leaves(f"{name}_{i}", item, kernel)]
    if kind == "array" and not type_._is_record:
        statements = ["$argument.kind = TREADLE_ARGUMENT_ARRAY;", "$argument.value.array = $name;"]
        return [(name, "treadle_array ", statements)]
    if kind == "optional" and type_._value.name in _NUMBERS:
        inner = type_._value.name
        number = ["if ($name) {", *(f"  {one}" for one in _number("*$name", inner)), "}"]
        return [(name, f"const {_NUMBERS[inner]} *", number)]
    if type_.name in _NUMBERS:
        return [(name, f"{_NUMBERS[type_.name]} ", _number("$name", type_.name))]
    raise ValueError(
        f"{kernel.__name__}: C++ programs cannot give '{name}' of type {type_}: pass numbers, arrays and tuples of them"
    )


def _number(value, name):
    kind = name.rstrip("0123456789")
    field = {"int": "i64", "uint": "u64", "bool": "u64", "float": "f64"}.get(kind)
    lines = [f"$argument.kind = TREADLE_ARGUMENT_{kind.upper()};"]
    if field is not None:
        return [*lines, f"$argument.value.{field} = {value};"]
    inside = f"({value})" if value.startswith("*") else value
    return [*lines, f"$argument.value.c128[0] = {inside}.real();", f"$argument.value.c128[1] = {inside}.imag();"]
