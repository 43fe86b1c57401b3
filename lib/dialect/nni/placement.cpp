#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "dialect/foreign.h"
#include "dialect/nni/write.h"
#include "ir/clock.h"

// Which entry has a weight, and when the pruners are constructed.
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

  // NNI configures each weight once. What comes later in another dialect has the last word there.
  void claim() {
    std::set<std::string, std::less<>> matched;
    for (std::size_t at = pieces_.size(); at-- > 0;) {
      std::vector<std::string>& names = pieces_[at].modules.names;
      const auto lost = std::erase_if(names, [&](const std::string& name) { return matched.contains(name); });
      if (lost > 0) {
        approximate(pieces_[at].action, "a later pruner has some of its weights, and NNI configures each of them once");
      }
      matched.insert(names.begin(), names.end());
    }
    std::erase_if(pieces_, [](const Piece& piece) { return piece.modules.empty(); });
    for (const Piece& piece : pieces_) {
      const auto other = [&](const Piece& each) { return each.action != piece.action; };
      if ((!piece.modules.types.empty() || !piece.modules.patterns.empty()) && std::ranges::any_of(pieces_, other)) {
        approximate(piece.action, "what other entries take is left to them");
      }
    }
  }

  // All pruners are constructed together, as early as the first of them has to be. Returns that step.
  std::uint64_t place() {
    if (std::ranges::any_of(pieces_, is_ramp)) {
      begin_ = std::ranges::min(pieces_, {}, [](const Piece& piece) { return piece.course.begin; }).course.begin;
    }
    const bool alone =
        quantizers_.empty() && std::ranges::all_of(pieces_, [&](const Piece& piece) {
          return piece.course.at_once() && piece.course.begin <= begin_ && piece.pruner == pieces_.front().pruner;
        });
    for (Piece& piece : pieces_) {
      if (!alone && !piece.moves() && piece.course.at_once() && piece.course.begin <= begin_) {
        act_after_a_step(piece);
      }
      report_start(piece);
      piece.course = piece.moves() ? piece.course : begin_at(piece.course, begin_);
      piece.course.begin -= begin_;
      report_course(piece);
    }
    delay_one_shots();
    for (const Quantizer& quantizer : quantizers_) {
      if (quantizer.start < begin_) {
        approximate(quantizer.action,
                    fmt::format("it begins {} steps later, with NNI's pruners", begin_ - quantizer.start));
      }
    }
    return begin_;
  }

 private:
  static bool is_ramp(const Piece& piece) { return !piece.course.at_once() && !piece.moves(); }

  // Pruners of several kinds share a run, in which one without a schedule never makes its masks: a ramp of a single
  // step does, one step later.
  void delay_one_shots() {
    const auto other = [&](const Piece& piece) {
      const Course& first = pieces_.front().course;
      const Course& course = piece.course;
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
        approximate(piece.action, "beside other pruners NNI makes its masks after a first step of training");
      }
    }
  }

  // Beside others a pruner that acts once is never called, so it becomes a ramp of one update after a step.
  void act_after_a_step(Piece& piece) {
    approximate(piece.action, "beside other pruners NNI masks after a step and not before the first one");
    piece.course = {begin_, 1, 1, false, piece.course.exact};
  }

  void report_start(const Piece& piece) {
    if (begin_ > 0) {
      approximate(
          piece.action,
          fmt::format("NNI counts from the construction of a pruner, which has to come after {} steps of training",
                      begin_));
    }
    if (is_ramp(piece) && piece.course.begin > begin_) {
      approximate(piece.action, fmt::format("its ramp begins {} steps too early, as all of NNI's begin together",
                                            piece.course.begin - begin_));
    }
  }

  void report_course(const Piece& piece) {
    const auto* from = ir::initial_sparsity(std::get<ir::Prune>(recipe_.actions[piece.action].effect).curve);
    const std::uint64_t every = piece.course.every;
    if (!piece.course.exact && from != nullptr && from->value > 0) {
      approximate(piece.action,
                  fmt::format("it begins with {}, and NNI's ramps with 0", base::python_repr(from->value)));
    } else if (!piece.course.exact) {
      approximate(piece.action, fmt::format("NNI raises the ratio {} times, each {} after the last", piece.course.times,
                                            base::counted(every, "step")));
    }
    if (piece.course.exact && ends_with_run(piece.course)) {
      approximate(piece.action, "NNI makes an update after the last step, when the other training is over");
    }
  }

  bool ends_with_run(const Course& course) const {
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
