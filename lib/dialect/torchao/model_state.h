#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "dialect/torchao/call.h"
#include "dialect/torchao/config.h"
#include "dialect/torchao/program.h"
#include "ir/operation.h"
#include "model/names.h"

// What the calls of `quantize_` of a script have made of the layers of one model (docs/semantics/torchao.md#a2-1).
namespace sparsecfg::dialect::torchao {

class ModelState {
 public:
  // Applies the calls before the one at `place`. `units`: of the model, or empty.
  ModelState(const Context& context, const Program& program, const std::vector<model::Module>& units,
             source::Span place);

  // The units that a configuration in steps can convert.
  [[nodiscard]] const std::vector<bool>& prepared() const { return prepared_; }

  // The operations of the earlier calls, without places.
  [[nodiscard]] const std::vector<ir::Assign>& operations() const { return operations_; }

  // The places of functions of the earlier calls whose results are known.
  [[nodiscard]] const std::set<source::Span>& evaluated() const { return evaluated_; }

  // Applies the call at `name`, and reports what its layers do not allow. Returns its operation, if it has one, and
  // marks a call that stops as not valid.
  [[nodiscard]] std::optional<ir::Assign> apply(CallReading& call, source::Span name);

 private:
  enum class Form : std::uint8_t { plain, quantized, prepared, unknown };

  struct State {
    Form form = Form::plain;
    std::size_t call = 0;  // index of the call that made it so
  };

  struct Earlier {
    Config config{};     // for all layers
    source::Span place;  // of the call
  };

  // The layers that a call selects.
  struct Selected {
    std::vector<std::size_t> units{};
    bool sure = true;  // false if it may select others
  };

  void apply_earlier(const OtherCall& call);
  std::optional<ir::Assign> changed(CallReading& call, source::Span place, bool reports);
  [[nodiscard]] Selected selected_by(const CallReading& call) const;
  [[nodiscard]] std::vector<std::size_t> with_form(const Selected& selected, Form form, const ClassSpec* wrapper) const;
  void set(const Selected& selected, Form form);
  void forget();  // the form of all layers
  [[nodiscard]] bool is_sure() const;

  std::optional<ir::Assign> quantize(CallReading& call, const Selected& selected, source::Span place, bool reports);
  [[nodiscard]] std::optional<ir::Assign> unchanged(const ir::Assign& assign) const;
  void prepare(CallReading& call, const Selected& selected, source::Span place, bool reports);
  std::optional<ir::Assign> convert(CallReading& call, const Selected& selected, source::Span place, bool reports);
  void report_again(const CallReading& call, const Selected& selected, const std::vector<std::size_t>& again,
                    source::Span place) const;
  [[nodiscard]] std::string help_for(const CallReading& call, const Selected& selected,
                                     const std::vector<std::size_t>& again) const;
  void report_unprepared(const Config& config, source::Span place) const;

  // Returns the place of a configuration if it is written in the call; else that of the call.
  [[nodiscard]] source::Span place_in_call(source::Span config, source::Span call) const;

  const Context& context_;
  const Program& program_;
  source::Span whole_;                // of the call
  std::vector<model::Module> units_;  // of the model, or one for all linear layers
  bool is_known_;                     // true if the names of the layers are known
  std::vector<State> states_;
  std::vector<bool> prepared_;
  std::vector<Earlier> calls_{};
  std::vector<ir::Assign> operations_{};
  std::set<source::Span> evaluated_{};
};

}  // namespace sparsecfg::dialect::torchao
