// Compiles the engine of {fmt} once: Debian has no static archive of it, and header-only every source would compile
// it again.

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE

namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;

#if FMT_VERSION < 110000 || FMT_USE_LOCALE
template FMT_API locale_ref::locale_ref(const std::locale& locale);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
#endif

template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
#if FMT_VERSION < 110000  // a template until then
template FMT_API void vformat_to(buffer<char>&, string_view, format_args, locale_ref);
#endif

}  // namespace detail

FMT_END_NAMESPACE
