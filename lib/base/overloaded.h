#pragma once

#include <concepts>

namespace sparsecfg::base {

// Constrains a lambda parameter to some alternatives of a variant. Other alternatives do not compile.
template <class T, class... Types>
concept AnyOf = (std::same_as<T, Types> || ...);

// Combines lambdas into one visitor for std::visit.
template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace sparsecfg::base
