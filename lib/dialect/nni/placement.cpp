#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "dialect/nni/write.h"
#include "dialect/write.h"
#include "ir/clock.h"

// Decides which entry prunes a weight, and when the pruners are constructed.
namespace sparsecfg::dialect::nni {

class Placement {
 public:
  Placement(std::vector<Piece>& pieces, const std::vector<Quantizer>& quantizers, const ir::Recipe& recipe,
            const WriteOptions& options, std::vector<ActionStatus>& statuses, diag::Sink& sink)
      : pieces_(pieces),
        quantizers_(quantizers),
        recipe_(recipe),
        options_(options),
        statuses_(statuses),
        sink_(sink) {}

  // NNI configures each weight once. In other dialects, the last pruner of a weight determines its sparsity.
  void claim() {
    std::set<std::string, std::less<>> matched;
    for (std::size_t at = pieces_.size(); at-- > 0;) {
      std::vector<std::string>& names = pieces_[at].modules.names;
      const auto removed = std::erase_if(names, [&](const std::string& name) { return matched.contains(name); });
      if (removed > 0) {
        approximate(pieces_[at].action,
                    "a later pruner selects some of its weights, and NNI configures each weight once");
      }
      matched.insert(names.begin(), names.end());
    }
    std::erase_if(pieces_, [](const Piece& piece) { return piece.modules.empty(); });
    for (const Piece& piece : pieces_) {
      const auto other = [&](const Piece& each) { return each.action != piece.action; };
      if ((!piece.modules.types.empty() || !piece.modules.patterns.empty()) && std::ranges::any_of(pieces_, other)) {
        approximate(piece.action, "modules that are also selected by other entries are excluded");
      }
    }
  }

  // All pruners are constructed together, at the earliest required step. Returns that step.
  std::uint64_t place() {
    if (std::ranges::any_of(pieces_, is_ramp)) {
      begin_ = std::ranges::min(pieces_, {}, [](const Piece& piece) { return piece.course.begin; }).course.begin;
    }
    const bool one_kind =
        quantizers_.empty() && std::ranges::all_of(pieces_, [&](const Piece& piece) {
          return piece.course.at_once() && piece.course.begin <= begin_ && piece.pruner == pieces_.front().pruner;
        });
    for (Piece& piece : pieces_) {
      if (!one_kind && !piece.moves() && piece.course.at_once() && piece.course.begin <= begin_) {
        act_after_a_step(piece);
      }
      report_start(piece);
      piece.course = piece.moves() ? piece.course : starting_at(piece.course, begin_);
      piece.course.begin -= begin_;
      report_course(piece);
    }
    delay_one_shots();
    for (const Quantizer& quantizer : quantizers_) {
      if (quantizer.start < begin_) {
        approximate(quantizer.action, fmt::format("quantization starts {} steps later, together with the NNI pruners",
                                                  begin_ - quantizer.start));
      }
    }
    return begin_;
  }

 private:
  static bool is_ramp(const Piece& piece) { return !piece.course.at_once() && !piece.moves(); }

  // If several kinds of pruners share a run, a pruner without a schedule never makes its masks. It is replaced by a
  // ramp of a single step, which acts one step later.
  void delay_one_shots() {
    const auto other = [&](const Piece& piece) {
      const RatioRamp& first = pieces_.front().course;
      const RatioRamp& course = piece.course;
      return piece.pruner != pieces_.front().pruner || course.at_once() != first.at_once() ||
             (!course.at_once() && (course.every != first.every || course.times != first.times ||
                                    course.cubic != first.cubic || course.begin != first.begin));
    };
    if (quantizers_.empty() && std::ranges::none_of(pieces_, other)) {
      return;
    }
    for (Piece& piece : pieces_) {
      if (piece.course.at_once()) {
        piece.course = {piece.course.begin, 1, 1, false, piece.course.exact};
        approximate(piece.action, "combined with other pruners, NNI makes the masks only after one training step");
      }
    }
  }

  // Combined with others, a one-shot pruner is never called, so it becomes a ramp with one update after one step.
  void act_after_a_step(Piece& piece) {
    approximate(piece.action, "combined with other pruners, NNI masks after the first step, not before it");
    piece.course = {begin_, 1, 1, false, piece.course.exact};
  }

  void report_start(const Piece& piece) {
    if (begin_ > 0) {
      approximate(
          piece.action,
          fmt::format("NNI counts steps from the construction of the pruner, which must follow {} training steps",
                      begin_));
    }
    if (is_ramp(piece) && piece.course.begin > begin_) {
      approximate(piece.action, fmt::format("the ramp begins {} steps too early, because all NNI ramps begin together",
                                            piece.course.begin - begin_));
    }
  }

  void report_course(const Piece& piece) {
    const auto* from = ir::initial_sparsity(std::get<ir::Prune>(recipe_.actions[piece.action].effect).curve);
    const std::uint64_t every = piece.course.every;
    if (!piece.course.exact && from != nullptr && from->value > 0) {
      approximate(piece.action, fmt::format("the ramp begins at sparsity {}, but NNI ramps begin at 0",
                                            base::python_repr(from->value)));
    } else if (!piece.course.exact) {
      approximate(piece.action, fmt::format("NNI increases the ratio {} times, at intervals of {}", piece.course.times,
                                            base::counted(every, "step")));
    }
    if (piece.course.exact && ends_with_run(piece.course)) {
      approximate(piece.action, "NNI makes an update after the last training step, where the original does not");
    }
  }

  bool ends_with_run(const RatioRamp& course) const {
    const std::uint64_t steps = ir::steps_of(options_.epochs.value_or(0), options_.read.steps_per_epoch.value_or(1));
    const std::uint64_t left = steps > begin_ + course.begin ? steps - begin_ - course.begin : 0;
    return course.at_once() ? left == 0 : left % course.every == 0 && left / course.every <= course.times;
  }

  void approximate(std::size_t index, std::string_view reason) {
    ActionStatus& status = statuses_[index];
    if (status.reason.find(reason) == std::string::npos) {
      dialect::approximate(status, recipe_.actions[index], reason, sink_);
    }
  }

  std::vector<Piece>& pieces_;
  const std::vector<Quantizer>& quantizers_;
  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  std::vector<ActionStatus>& statuses_;
  diag::Sink& sink_;
  std::uint64_t begin_ = 0;  // steps of training before the pruners are constructed
};

std::uint64_t place(std::vector<Piece>& pieces, const std::vector<Quantizer>& quantizers, const ir::Recipe& recipe,
                    const WriteOptions& options, std::vector<ActionStatus>& statuses, diag::Sink& sink) {
  Placement placement(pieces, quantizers, recipe, options, statuses, sink);
  placement.claim();
  return placement.place();
}

}  // namespace sparsecfg::dialect::nni
