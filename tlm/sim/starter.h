// Has an event fire when the kernel starts: nothing may be scheduled before.
#pragma once

#include <systemc>

#include "tlm/sim/partition.h"

namespace railyard {

class Starter : public sc_core::sc_module {
 public:
  Starter(sc_core::sc_module_name name, Partition& partition, Event& event)
      : sc_module(name), partition_(partition), event_(event) {}

 private:
  void start_of_simulation() override { partition_.scheduler().schedule(event_, 0); }

  Partition& partition_;
  Event& event_;
};

}  // namespace railyard
