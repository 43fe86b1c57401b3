#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

// Declarations for the lists of fields of IR types and names of enumerators. Members and enumerators that are not
// listed do not compile. The lists are in ir/fields.h.
namespace sparsecfg::ir {

template <class Part, class Type>
struct Field {
  std::string_view name;
  Type Part::*member;
  bool always;  // false: omitted from the JSON if it has the default value
};

template <class Part, class Type>
constexpr Field<Part, Type> always(std::string_view name, Type Part::*member) {
  return {name, member, true};
}

template <class Part, class Type>
constexpr Field<Part, Type> unusual(std::string_view name, Type Part::*member) {
  return {name, member, false};
}

// A tuple of Field for each IR type. Types without one can't be written.
template <class Part>
inline constexpr std::nullptr_t kFields = nullptr;

// Number of members without a row: source spans, and members that follow from others.
template <class Part>
inline constexpr std::size_t kWithoutRow = 0;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Converts to the type of any member. Optional members are created from their value type.
struct AnyMember {
  template <class T>
  requires(!kIsOptional<T>) operator T() const;  // NOLINT(google-explicit-constructor)
};

// Returns the number of members of an aggregate, which is the number of initializers that it accepts.
template <class Part, class... Members>
consteval std::size_t count_members() {
  if constexpr (requires { Part{Members()..., AnyMember()}; }) {
    return count_members<Part, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

// Returns the field rows of a type.
template <class Part>
constexpr const auto& fields_of() {
  static_assert(!std::is_null_pointer_v<std::remove_cvref_t<decltype(kFields<Part>)>>, "each type has rows in kFields");
  constexpr std::size_t kRows = std::tuple_size_v<std::remove_cvref_t<decltype(kFields<Part>)>>;
  static_assert(kRows + kWithoutRow<Part> == count_members<Part>(),
                "each member has a row in kFields, or is counted by kWithoutRow");
  return kFields<Part>;
}

// Compares two values by all members with rows, which excludes source spans.
template <class Part>
bool has_same_fields(const Part& a, const Part& b) {
  return std::apply([&](const auto&... field) { return ((a.*field.member == b.*field.member) && ...); },
                    fields_of<Part>());
}

template <std::size_t kSize>
using Names = std::array<std::string_view, kSize>;

// The names of an enumeration's values or of a variant's alternatives, in declaration order.
template <class Choice>
inline constexpr std::nullptr_t kNames = nullptr;

// Returns true if an enumeration has an enumerator with this value; compilers print other values as a cast.
template <auto kValue>
consteval bool is_enumerator() {
  const std::string_view name = __PRETTY_FUNCTION__;
  return name.find("kValue = (") == std::string_view::npos;
}

// Returns the names of an enumeration's values. Does not compile if a name is missing.
template <class Enum>
constexpr const auto& names_of() {
  constexpr std::size_t kCount = kNames<Enum>.size();
  static_assert(is_enumerator<static_cast<Enum>(kCount - 1)>() && !is_enumerator<static_cast<Enum>(kCount)>(),
                "each enumerator has a name in kNames");
  return kNames<Enum>;
}

template <class... Alternatives>
inline constexpr Names<sizeof...(Alternatives)> kNames<std::variant<Alternatives...>> = {Alternatives::kName...};

}  // namespace sparsecfg::ir
