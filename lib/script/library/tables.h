#pragma once

#include <span>

#include "script/operation.h"

// The tables of operations, by topic. A new method or function needs a function and a row in one of their files.
namespace sparsecfg::script {

[[nodiscard]] std::span<const Operation> text_methods();
[[nodiscard]] std::span<const Operation> list_methods();
[[nodiscard]] std::span<const Operation> tuple_methods();
[[nodiscard]] std::span<const Operation> set_methods();
[[nodiscard]] std::span<const Operation> mapping_methods();
[[nodiscard]] std::span<const Operation> builtin_functions();

[[nodiscard]] std::span<const Operation> path_methods();
[[nodiscard]] std::span<const Operation> file_methods();
[[nodiscard]] std::span<const Operation> parser_methods();
[[nodiscard]] std::span<const Operation> command_methods();
[[nodiscard]] std::span<const Operation> model_methods();
[[nodiscard]] std::span<const Operation> all_names_methods();

// The functions of modules, whose names contain the module: "json.loads".
[[nodiscard]] std::span<const Operation> path_functions();
[[nodiscard]] std::span<const Operation> document_functions();
[[nodiscard]] std::span<const Operation> parser_functions();
[[nodiscard]] std::span<const Operation> module_functions();

}  // namespace sparsecfg::script
