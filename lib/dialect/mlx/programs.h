#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "dialect/mlx/config.h"
#include "dialect/options.h"
#include "source/source_file.h"
#include "source/value.h"

// The programs and functions that quantize a model for MLX, and their arguments.
namespace sparsecfg::dialect::mlx {

// An option of a command line, which argparse reads.
struct Option {
  enum class Type : std::uint8_t { text, whole, real, flag };
  std::string_view name;  // without dashes: "q-bits"
  Type type = Type::text;
  std::string_view letter{};                    // "q" for `-q`; empty: none
  std::string_view argument{};                  // the parameter that it sets; empty: the name with `_`
  std::span<const std::string_view> choices{};  // empty: all values
};

// The parameters with one format.
struct FormatArguments {
  std::string_view group_size;
  std::string_view bits;
  std::string_view mode{};       // empty: always affine
  std::int64_t usual_group = 0;  // 0: that of the mode
  std::int64_t usual_bits = 0;
};

enum class Task : std::uint8_t { convert, dwq, awq, gptq, dynamic, fuse, quantize };

struct Program {
  std::string_view name;  // "mlx_lm.convert"
  Task task;
  bool vision = false;  // true for mlx-vlm
  std::span<const Option> options{};
  std::span<const FormatArguments> formats{};
  std::span<const std::string_view> recipes{};  // values of `--quant-predicate`
};

// Values of `dtype`.
inline constexpr std::string_view kTypeNames[] = {"float16", "bfloat16", "float32"};

// Returns null if there is no such program.
[[nodiscard]] const Program* find_program(std::string_view name);

struct Context {
  const source::SourceFile& file;
  const std::set<source::Span>& unknown;  // places of unknown values
  const ReadOptions& options;
  diag::Sink& sink;

  [[nodiscard]] bool is_unknown(const Value& value) const { return unknown.contains(value.span); }
};

// A command, or a call of a function in Python.
struct Call {
  const Program* program = nullptr;
  bool command = false;
  bool open = false;        // true if it may have other arguments, which are not known
  source::Map arguments{};  // by the names of the parameters in Python
  source::Span name{};      // of the program or function

  // Returns the argument, or null. None counts as absent.
  [[nodiscard]] const source::Entry* find(std::string_view parameter) const;
  // Returns an argument in the form of the call: "--q-bits 4" or "q_bits=4".
  [[nodiscard]] std::string text(std::string_view parameter, std::string_view value) const;
  [[nodiscard]] std::string text(const source::Entry& entry) const;
  // Returns the place of an argument with its name.
  [[nodiscard]] source::Span place(const source::Entry& entry) const;
};

// Returns the arguments of a command. Reports what argparse rejects; returns nullopt if the program stops.
[[nodiscard]] std::optional<Call> read_command(const Context& context, const Program& program, const Value& words,
                                               source::Span name);

}  // namespace sparsecfg::dialect::mlx
