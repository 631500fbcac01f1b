// The functions of {fmt}, compiled once from its headers: distributions have them in a shared library at most, which a
// wheel must not need. Each of our libraries has a hidden copy of its own.
#include <fmt/format-inl.h>

namespace fmt::detail {

// What {fmt}'s headers declare and leave to its library.
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template void buffer<char>::append(const char *, const char *);
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;

} // namespace fmt::detail
