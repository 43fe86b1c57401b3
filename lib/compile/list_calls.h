#pragma once

#include <map>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/objects.h"
#include "script/trace.h"

namespace sparsecfg::places {

// The constructors of a framework that receive the lists of a script.
class ListCalls {
 public:
  ListCalls(const script::Trace& trace, const dialect::Dialect& dialect);

  // Notes that a call receives a list.
  void add(const script::Value& list, const script::Value& call);
  // Returns the constructors that receive a list as a sequence of mappings (dialect/script_call.h); nullopt if there is
  // none.
  [[nodiscard]] std::optional<doc::NodeId> write(const script::Value& list, dialect::ObjectWriter& writer) const;

 private:
  [[nodiscard]] bool constructs(const script::Value& call) const;
  [[nodiscard]] const script::Value* wrapper_of(const script::Value& call) const;
  [[nodiscard]] const script::Value* compress_of(const script::Value& call) const;
  [[nodiscard]] const script::Value* speedup_of(const script::Value& call, const script::Value& compress) const;
  void add_compress(const script::Value& compress, dialect::ObjectWriter& writer, std::vector<doc::NodeId>& out) const;
  [[nodiscard]] doc::NodeId mapping_of(const script::Value& call, const script::Value* wrapped,
                                       dialect::ObjectWriter& writer) const;

  const script::Trace& trace_;
  const dialect::Dialect& dialect_;
  std::map<const script::Value*, std::vector<const script::Value*>> calls_;  // by the identity of the list
};

}  // namespace sparsecfg::places
