#include "tlm/core/current.h"

#include <algorithm>
#include <stdexcept>

namespace railyard {

namespace {

const char* const kName = "railyard_program";

ProgramContext& program_or_throw() {
  ProgramContext* program = current_program();
  if (program == nullptr) throw std::logic_error("only a program on a core can have that");
  return *program;
}

}  // namespace

ProgramContextAttribute::ProgramContextAttribute(sc_core::sc_object& owner, ProgramContext& context)
    : sc_attribute<ProgramContext*>(kName, &context) {
  owner.add_attribute(*this);
}

ProgramContext* current_program() {
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  if (!process.valid()) return nullptr;
  for (sc_core::sc_object* object = process.get_process_object(); object != nullptr;
       object = object->get_parent_object()) {
    if (sc_core::sc_attr_base* attribute = object->get_attribute(kName)) {
      return static_cast<ProgramContextAttribute*>(attribute)->value;
    }
  }
  return nullptr;
}

Core* current_core() {
  const ProgramContext* program = current_program();
  return program == nullptr ? nullptr : program->core;
}

ExtensionScope::ExtensionScope(ProgramExtension& extension)
    : context_(program_or_throw()), extension_(extension) {
  context_.extensions.push_back(&extension);
}

ExtensionScope::~ExtensionScope() {
  auto& all = context_.extensions;
  all.erase(std::remove(all.begin(), all.end(), &extension_), all.end());
}

}  // namespace railyard
