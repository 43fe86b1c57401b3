#include "dialect/quantizers/arity.h"

namespace sparsecfg::dialect::quantizers {

using Form = python::Parameter::Form;

bool is_by_position(const python::Parameter& parameter) {
  return parameter.form == Form::positional || parameter.form == Form::plain;
}

Arity arity_of(const python::Statement& function) {
  Arity out;
  for (const python::Parameter& each : function.parameters) {
    const bool position = is_by_position(each);
    const bool required = each.fallback.empty();
    out.most += position ? 1 : 0;
    out.required += position && required ? 1 : 0;
    out.any = out.any || each.form == Form::rest;
    out.named = out.named || (each.form == Form::keyword && required);
  }
  return out;
}

}  // namespace sparsecfg::dialect::quantizers
