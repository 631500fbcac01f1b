"""C++ identifiers for names from Python, avoiding those that C++ already uses."""

_KEYWORDS = set(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue "
    "contract_assert decltype default delete do double dynamic_cast else enum explicit export extern false float "
    "for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public reflexpr register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq".split()
)

# In lower case: macros of compilers, and of C's headers with the extensions that C++ compilers enable.
_MACROS = set(
    "i386 linux unix alloca assert assert_perror be16toh be32toh be64toh complex errno htobe16 htobe32 htobe64 htole16 "
    "htole32 htole64 imaginary issubnormal le16toh le32toh le64toh major makedev math_errhandling minor noreturn "
    "offsetof pthread_cleanup_pop pthread_cleanup_pop_restore_np pthread_cleanup_push pthread_cleanup_push_defer_np "
    "sched_priority setjmp sigmask sigsetjmp stderr stdin stdout strdupa strndupa".split()
)

# Names of C's headers outside of namespaces, besides functions of its libraries and names that end in `_t`.
_TYPES = set(
    "at_quick_exit atexit iscanonical iseqsig issignaling iszero drand48_data fd_mask fd_set fsid_t itimerspec lconv "
    "main obstack random_data sched_param sigevent std timespec timeval timex timezone tm".split()
)


def is_free(name):
    """Whether a Python identifier is valid in C++, and is neither a keyword nor, as far as can be told, a macro."""
    if name in _KEYWORDS or name in _MACROS or name.startswith("treadle_") or "__" in name:
        return False
    # Macros are in capitals, some with a small ending, and do not end in `_`; `A` and `Scale` are none, but C's `I` is.
    first, second = name[:1], name[1:2]
    is_reserved = first == "_" and second.isupper()
    is_capital = first.isupper() and not second.islower() and len(name) > 1 and not name.endswith("_")
    return not is_reserved and not is_capital and name != "I"


def named(names, taken=()):
    """C++ names for these, in order: all distinct, none of them `taken`, and unchanged if possible."""
    used, made = set(taken), [""] * len(names)
    for index in sorted(range(len(names)), key=lambda index: not is_free(names[index])):
        made[index] = next(name for name in _variants(names[index]) if is_free(name) and name not in used)
        used.add(made[index])
    return made


def _variants(name):
    yield name
    while "__" in name:
        name = name.replace("__", "_")
    name = name.strip("_") or "x"
    yield name
    yield f"{name}_"
    number = 2
    while True:
        yield f"{name}{number}_"
        number += 1


def namespace(name):
    """A namespace for a file of that name, without its ending."""
    stem = "".join(c if f"a{c}".isidentifier() else "_" for c in name) or "kernels"
    stem = f"_{stem}" if stem[0].isdigit() else stem
    is_taken = stem in _TYPES or stem.endswith("_t") or stem.startswith("pthread_") or _is_function_of_c(stem)
    return named([stem], {stem} if is_taken else ())[0]


def _is_function_of_c(name):
    """No list is complete, so this looks in the C library, whose functions programs may declare."""
    from ctypes import CDLL

    return name.isascii() and any(hasattr(CDLL(library), name) for library in ("libc.so.6", "libm.so.6"))


def shown(text):
    """For a comment: one line, whatever is in it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
