// What became of a fabric's flows, whatever stands at their ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tlm/base/time.h"

namespace railyard {

class FlowResults {
 public:
  virtual ~FlowResults() = default;
  virtual std::size_t flow_count() const = 0;
  /// The endpoints at its ends, as the topology numbers them.
  virtual std::uint32_t source_of(std::size_t flow) const = 0;
  virtual std::uint32_t destination_of(std::size_t flow) const = 0;
  /// Payload that it is to bring.
  virtual std::uint64_t bytes_of(std::size_t flow) const = 0;
  /// When the first flow might have begun: completions count from there. kForever: not yet.
  virtual Time began() const { return 0; }
  /// When the flow may begin.
  virtual Time started_at(std::size_t flow) const = 0;
  /// Its last byte has come, some before it perhaps not.
  virtual bool ended(std::size_t flow) const = 0;
  /// All of it has come.
  virtual bool complete(std::size_t flow) const = 0;
  /// When the latest byte came of a flow that has ended.
  virtual Time completed_at(std::size_t flow) const = 0;
  /// Payload that came, none twice.
  virtual std::uint64_t received_bytes(std::size_t flow) const = 0;
};

}  // namespace railyard
