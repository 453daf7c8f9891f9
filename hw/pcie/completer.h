// The part of a root complex' port or of a function that answers for memory behind it.
//
// Posted writes become visible in the order in which they came, but for relaxed ones, which do when
// their memory has them. A read begins at once and is answered when all writes that came before it
// are visible: so one of no byte flushes them. Reads are answered in the order in which their data
// is there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hw/pcie/delay_line.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/memory_port.h"
#include "hw/pcie/port.h"
#include "hw/pcie/tlp_rules.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

struct CompleterConfig {
  CompletionSplit split = CompletionSplit::kMaxPayload;
  std::uint32_t boundary = 64;
  std::uint32_t reads = 256;
  Time reply_latency = 50 * kNanosecond;

  void declare(Parameters& p);
};

class Completer : public MemoryClient {
 public:
  /// `own` is where the time goes that is not the memory's. `reply` takes completions.
  Completer(Hierarchy& hierarchy, const std::string& name, const CompleterConfig& config,
            MemoryPort& memory, Stage own, std::function<void(TlpRef)> reply,
            std::function<void(const Tlp&)> deliver = {});

  void set_id(DeviceId id) { id_ = id; }
  void set_max_payload(std::uint32_t bytes) { max_payload_ = bytes; }

  /// A memory write or read at `offset` of the memory, wherever the TLP's address was. The TLP's
  /// place in its receive buffer is released when the memory has it.
  void write(TlpRef tlp, std::uint64_t address);
  void read(TlpRef tlp, std::uint64_t address);
  /// A message that goes behind all writes before it: `deliver` is called when they are visible.
  void message(TlpRef tlp);

  void memory_done(MemoryAccess& access) override;

 private:
  struct Posted {
    TlpRef tlp;
    Ref<MemoryAccess> access;  // none: a message
    bool done = false;
    bool visible = false;
  };
  struct Reading {
    TlpRef tlp;
    Ref<MemoryAccess> access;
    std::uint64_t after = 0;  // writes that came before it
  };
  struct Waiting {
    TlpRef tlp;
    std::uint64_t address = 0;
    std::uint64_t after = 0;  // writes that came before it
  };

  void start_waiting();
  void start_read(TlpRef tlp, std::uint64_t address);
  void write_done(MemoryAccess& access);
  void make_visible(Posted& posted);
  bool flushed(const Reading& reading) const {
    return posted_.empty() || first_posted_ >= reading.after;
  }
  void answer_flushed();
  void reply(Reading reading);
  void send_data(const Reading& reading);
  void advance();

  Hierarchy& hierarchy_;
  std::string name_;
  CompleterConfig config_;
  MemoryPort& memory_;
  Stage own_;
  std::function<void(TlpRef)> send_;
  std::function<void(const Tlp&)> deliver_;
  DeviceId id_;
  std::uint32_t max_payload_ = 128;

  Ring<Posted> posted_;             // writes that not everybody can see
  std::uint64_t first_posted_ = 0;  // serial of the front

  Ring<Waiting> waiting_;  // reads that have not begun
  Ring<Reading> held_;     // reads whose data is there, behind writes
  std::uint32_t reads_ = 0;
  std::vector<Reading> readings_;
  std::vector<std::uint32_t> free_readings_;
  DelayLine<Reading> replies_;
};

}  // namespace railyard::pcie
