#pragma once

#include <concepts>

namespace sparsecfg::base {

// The parameter of a lambda for some alternatives of a variant: another alternative does not compile.
template <class T, class... Types>
concept AnyOf = (std::same_as<T, Types> || ...);

// Joins lambdas into one visitor for std::visit.
template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace sparsecfg::base
