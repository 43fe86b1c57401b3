#include "convert/proof.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "timeline/evaluator.h"

namespace sparsecfg::convert {

using timeline::Column;
using timeline::Evaluator;

// No mask yet and a mask of nothing are the same.
void Difference::add(const std::optional<double>& one, const std::optional<double>& other, std::uint64_t at) {
  double difference = 0;
  if (one && other) {
    difference = *one == *other ? 0 : std::abs(*one - *other);
  } else if (one.value_or(0) != 0 || other.value_or(0) != 0) {
    difference = std::numeric_limits<double>::infinity();
  }
  if (difference > max) {
    max = difference;
    step = at;
  }
}

// Where the values of a column stand.
struct Track {
  std::size_t number = 0;
  bool known = true;  // whether there is a number all along
};

// A column of either run, if it has one.
struct Pair {
  std::size_t action = 0;
  std::optional<Track> track;
  std::optional<Track> written_track;
};

class Comparer {
 public:
  Comparer(const ir::Recipe& recipe, const timeline::Run& run, const ir::Recipe& back, const timeline::Run& written_run,
           const dialect::Written& written)
      : written_(back),
        statuses_(written.statuses),
        begin_(written.begin),
        steps_(run.steps()),
        one_(recipe, run),
        other_(back, written_run) {
    out_.sparsities.resize(recipe.actions.size());
    pair_up();
  }

  Comparison run() {
    if (next() > 0) {
      compare_at(0);
    }
    std::uint64_t left = timeline::kMaxWork / (one_.work_per_change() + other_.work_per_change() + pairs_.size());
    for (std::uint64_t step = next(); step != timeline::kNever; step = next()) {
      if (left-- == 0) {
        out_.stopped = step;
        break;
      }
      move(one_, step);
      if (step >= begin_) {
        move(other_, step - begin_);
      }
      compare_at(step);
    }
    return std::move(out_);
  }

 private:
  std::uint64_t next() const {
    const std::uint64_t other = other_.next_step();
    return std::min(one_.next_step(), other == timeline::kNever ? other : other + begin_);
  }

  static void move(Evaluator& evaluator, std::uint64_t step) {
    if (evaluator.next_step() == step) evaluator.advance();
  }

  // The columns of what was written, by the number of the action and the target.
  std::map<std::pair<int, std::size_t>, std::size_t> written_columns() const {
    std::map<std::pair<int, std::size_t>, std::size_t> out;
    for (std::size_t at = 0; at < other_.columns().size(); ++at) {
      const Column& column = other_.columns()[at];
      out.emplace(std::pair(written_.actions[column.action].origin.ordinal, column.target), at);
    }
    return out;
  }

  static Track track_of(const Column& column) { return {column.track, column.unknown.empty()}; }

  void pair_up() {
    const auto written = written_columns();
    std::vector<bool> linked(other_.columns().size(), false);
    for (const Column& column : one_.columns()) {
      Pair pair{column.action, track_of(column), std::nullopt};
      for (const dialect::Link& link : statuses_[column.action].links) {
        const auto found = link.target == column.target ? written.find({link.ordinal, link.into}) : written.end();
        if (found != written.end()) {
          pair.written_track = track_of(other_.columns()[found->second]);
          linked[found->second] = true;
        }
      }
      pairs_.push_back(pair);
    }
    for (std::size_t at = 0; at < linked.size(); ++at) {
      if (!linked[at]) out_.unknown_names.push_back(other_.columns()[at].label);
    }
  }

  // Before the first mask of a course that is known nothing is pruned.
  static std::optional<double> value_of(const Evaluator& evaluator, const std::optional<Track>& track) {
    const auto value = track ? evaluator.sparsities()[track->number] : std::nullopt;
    return value || !track || !track->known ? value : std::optional(0.0);
  }

  void compare_at(std::uint64_t step) {
    for (const Pair& pair : pairs_) {
      if (statuses_[pair.action].kind != dialect::ActionStatus::Kind::dropped) {
        out_.sparsities[pair.action].add(value_of(one_, pair.track), value_of(other_, pair.written_track), step);
      }
    }
    const auto& groups = one_.optimizer().groups();
    const auto& others = other_.optimizer().groups();
    for (std::size_t group = 0; step < steps_ && group < std::max(groups.size(), others.size()); ++group) {
      const auto& mine = groups[std::min(group, groups.size() - 1)];
      const auto& theirs = others[std::min(group, others.size() - 1)];
      out_.rate.add(mine.rate, theirs.rate, step);
      out_.weight_decay.add(mine.weight_decay, theirs.weight_decay, step);
    }
  }

  const ir::Recipe& written_;
  const std::vector<dialect::ActionStatus>& statuses_;
  std::uint64_t begin_;
  std::uint64_t steps_;
  Evaluator one_;
  Evaluator other_;
  std::vector<Pair> pairs_;
  Comparison out_;
};

Comparison compare(const ir::Recipe& recipe, const timeline::Run& run, const ir::Recipe& back,
                   const timeline::Run& written_run, const dialect::Written& written) {
  return Comparer(recipe, run, back, written_run, written).run();
}

}  // namespace sparsecfg::convert
