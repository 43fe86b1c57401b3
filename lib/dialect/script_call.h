#pragma once

#include <string_view>

// The constructors of a script that receive a list, as they are written beside the list in the mapping of all lists.
namespace sparsecfg::dialect {

// The key of the constructors is the key of the list and this suffix, which no variable name contains. The value is a
// list of mappings with these keys.
inline constexpr std::string_view kConstructorSuffix = "(...)";
inline constexpr std::string_view kCallClass = "class";
inline constexpr std::string_view kCallPath = "path";            // with its modules
inline constexpr std::string_view kCallArguments = "arguments";  // by name, or by position for those without a name
inline constexpr std::string_view kCallUnknown = "unknown";      // the names or positions of the other arguments
inline constexpr std::string_view kCallWrapped = "wrapped";      // the constructor of the object that this one gets
inline constexpr std::string_view kCallCompress = "compress";    // the only call of this method of the object
inline constexpr std::string_view kCallOrder = "order";      // the number of that call among the calls of the script
inline constexpr std::string_view kCallSpeedup = "speedup";  // a call that reshapes the model while it is wrapped
inline constexpr std::string_view kCompressMethod = ".compress";  // as the path of a call

}  // namespace sparsecfg::dialect
