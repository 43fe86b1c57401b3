#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

// How a part of a schedule lists its fields and a choice its names; a member or a value that is not listed does not
// compile. The lists themselves are in ir/fields.h.
namespace sparsecfg::ir {

template <class Part, class Type>
struct Field {
  std::string_view name;
  Type Part::*member;
  bool always;  // false: left out of the JSON if it has its default
};

template <class Part, class Type>
constexpr Field<Part, Type> always(std::string_view name, Type Part::*member) {
  return {name, member, true};
}

template <class Part, class Type>
constexpr Field<Part, Type> unusual(std::string_view name, Type Part::*member) {
  return {name, member, false};
}

// A tuple of Field for each part; a part without one can't be written.
template <class Part>
inline constexpr std::nullptr_t kFields = nullptr;

// How many members of a part have no row on purpose: places in the text, and what follows from other members.
template <class Part>
inline constexpr std::size_t kWithoutRow = 0;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Converts to the type of any member; an optional member makes its value of it.
struct AnyMember {
  template <class T>
  requires(!kIsOptional<T>) operator T() const;  // NOLINT(google-explicit-constructor)
};

// Returns how many members an aggregate has: how many values it can be made of.
template <class Part, class... Members>
consteval std::size_t count_members() {
  if constexpr (requires { Part{Members()..., AnyMember()}; }) {
    return count_members<Part, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

// Returns the rows of a part.
template <class Part>
constexpr const auto& fields_of() {
  static_assert(!std::is_null_pointer_v<std::remove_cvref_t<decltype(kFields<Part>)>>, "each part has rows in kFields");
  constexpr std::size_t kRows = std::tuple_size_v<std::remove_cvref_t<decltype(kFields<Part>)>>;
  static_assert(kRows + kWithoutRow<Part> == count_members<Part>(),
                "each member of a part has a row of kFields, or is counted by kWithoutRow");
  return kFields<Part>;
}

// Compares two parts member by member of those that have rows: all but the places in the text.
template <class Part>
bool has_same_fields(const Part& a, const Part& b) {
  return std::apply([&](const auto&... field) { return ((a.*field.member == b.*field.member) && ...); },
                    fields_of<Part>());
}

template <std::size_t kSize>
using Names = std::array<std::string_view, kSize>;

// The names of an enumeration's values or of a variant's alternatives, in their order.
template <class Choice>
inline constexpr std::nullptr_t kNames = nullptr;

// Returns true if an enumeration has an enumerator of the value: what the compiler calls others has a cast in it.
template <auto kValue>
consteval bool is_enumerator() {
  const std::string_view name = __PRETTY_FUNCTION__;
  return name.find("kValue = (") == std::string_view::npos;
}

// Returns the names of an enumeration's values; does not compile if one has no name.
template <class Enum>
constexpr const auto& names_of() {
  constexpr std::size_t kCount = kNames<Enum>.size();
  static_assert(is_enumerator<static_cast<Enum>(kCount - 1)>() && !is_enumerator<static_cast<Enum>(kCount)>(),
                "each value of an enumeration has a name in kNames");
  return kNames<Enum>;
}

template <class... Alternatives>
inline constexpr Names<sizeof...(Alternatives)> kNames<std::variant<Alternatives...>> = {Alternatives::kName...};

}  // namespace sparsecfg::ir
