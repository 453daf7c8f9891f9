// What a program runs on, for code that is called by it and was not told: C interfaces whose
// signatures have no room for it. Found from the kernel's current process upwards, so programs on
// several cores do not meet.
#pragma once

#include <vector>

#include <systemc>

#include "tlm/core/address_space.h"
#include "tlm/core/core.h"

namespace railyard {

/// What a layer of software keeps for a program.
class ProgramExtension {
 public:
  virtual ~ProgramExtension() = default;
};

struct ProgramContext {
  Core* core = nullptr;
  AddressSpace* memory = nullptr;             // null: the program has none
  std::vector<ProgramExtension*> extensions;  // at most one of a class

  template <class T>
  T* find() const {
    for (ProgramExtension* extension : extensions) {
      if (auto* found = dynamic_cast<T*>(extension)) return found;
    }
    return nullptr;
  }
};

/// An object's processes, and those of its children, run in `context`, which outlives the object.
class ProgramContextAttribute : public sc_core::sc_attribute<ProgramContext*> {
 public:
  ProgramContextAttribute(sc_core::sc_object& owner, ProgramContext& context);
};

/// Null outside of a program.
ProgramContext* current_program();
Core* current_core();

/// An extension is there while this lives. std::logic_error outside of a program.
class ExtensionScope {
 public:
  explicit ExtensionScope(ProgramExtension& extension);
  ~ExtensionScope();
  ExtensionScope(const ExtensionScope&) = delete;
  ExtensionScope& operator=(const ExtensionScope&) = delete;

 private:
  ProgramContext& context_;
  ProgramExtension& extension_;
};

}  // namespace railyard
