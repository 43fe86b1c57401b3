#pragma once
#include "diag/catalog.h"
namespace sparsecfg::diag {
#define SPARSECFG_UNWRAP(...) __VA_ARGS__
#define DIAGNOSTIC(CODE, NAME, SEVERITY, ARGS, MESSAGE, EXPLANATION)                             \
  inline constexpr auto NAME##_name = kebab(#NAME);                                              \
  inline constexpr Def<SPARSECFG_UNWRAP ARGS> NAME{                                              \
      #CODE, std::string_view(NAME##_name.data(), NAME##_name.size()), Severity::SEVERITY, MESSAGE, \
      MESSAGE, EXPLANATION};
#include "diag/catalog/pt_portability.def"
#undef DIAGNOSTIC
}
