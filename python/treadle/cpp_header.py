"""The C++ header of a file of images: a class that loads it, with a launch function for each kernel."""

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

# Words of C++ that are none of Python's, and the names that the functions have.
_TAKEN = set(
    "alignas alignof asm auto bool case catch char class concept const constexpr const_cast decltype default delete do "
    "double dynamic_cast enum explicit export extern false float friend goto inline int long mutable namespace new "
    "noexcept nullptr operator private protected public register reinterpret_cast requires short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union "
    "unsigned using virtual void volatile wchar_t arguments config kernels launch load and or not xor".split()
)


def header_text(file, kernels):
    """The header of a file of that name. `kernels`: [(name, kernel, signature, names of parameters)]. Raises ValueError
    for types that C++ programs cannot give."""
    stem = "".join(c if c.isalnum() else "_" for c in file.split(".")[0]) or "kernels"
    space = _named(stem if not stem[0].isdigit() else f"_{stem}")
    fields = {"file": file, "guard": f"{space.upper()}_TREADLE_H", "namespace": space, "count": len(kernels)}
    names = ", ".join(f'"{name}"' for name, *_ in kernels)
    functions = (_function(index, one) for index, one in enumerate(kernels))
    return _HEAD.format(**fields, names=names) + "".join(functions) + _TAIL.format(**fields)


def _named(name):
    return f"{name}_" if name in _TAKEN else name


def _function(index, kernel_of_file):
    name, kernel, signature, parameters = kernel_of_file
    leaves = [leaf for given, type_ in zip(parameters, signature.args) for leaf in _leaves(given, type_, kernel)]
    listed = ["const treadle_launch_config &config", *(one for one, _ in leaves if one)]
    assignments = "".join(
        f"    {line.format(f'arguments[{place}]')}\n" for place, (_, lines) in enumerate(leaves) for line in lines
    )
    return _FUNCTION.format(
        signature=f"{name}({', '.join(map(str, signature.args))})", name=_named(name), parameters=", ".join(listed),
        room=max(len(leaves), 1), assignments=assignments, index=index, count=len(leaves),
    )  # fmt: skip


def _leaves(name, type_, kernel):
    """[(parameter of C++, statements)] of one argument; items of tuples count one by one. In the statements, {} is the
    place of the argument."""
    name = _named(name)
    kind = type_._kind
    if kind == "none":
        return [("", ["{}.kind = TREADLE_ARGUMENT_NONE;"])]
    if kind == "tuple":
        return [leaf for i, item in enumerate(type_.types) for leaf in _leaves(f"{name}_{i}", item, kernel)]
    if kind == "array" and not type_._is_record:
        return [(f"treadle_array {name}", ["{}.kind = TREADLE_ARGUMENT_ARRAY;", f"{{}}.value.array = {name};"])]
    if kind == "optional" and type_._value.name in _NUMBERS:
        inner = type_._value.name
        number = [f"if ({name}) {{{{", *(f"  {one}" for one in _number(f"*{name}", inner)), "}}"]
        return [(f"const {_NUMBERS[inner]} *{name}", number)]
    if type_.name in _NUMBERS:
        return [(f"{_NUMBERS[type_.name]} {name}", _number(name, type_.name))]
    raise ValueError(
        f"{kernel.__name__}: C++ programs cannot give '{name}' of type {type_}: pass numbers, arrays and tuples of them"
    )


def _number(value, name):
    kind = name.rstrip("0123456789")
    field = {"int": "i64", "uint": "u64", "bool": "u64", "float": "f64"}.get(kind)
    lines = [f"{{}}.kind = TREADLE_ARGUMENT_{kind.upper()};"]
    if field is not None:
        return [*lines, f"{{}}.value.{field} = {value};"]
    inside = f"({value})" if value.startswith("*") else value
    return [*lines, f"{{}}.value.c128[0] = {inside}.real();", f"{{}}.value.c128[1] = {inside}.imag();"]
