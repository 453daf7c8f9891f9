// What a host runs whose flows are RDMA WRITEs: it makes a queue pair a flow, in the flows' order,
// meets the other hosts, posts the messages of the flows that it sends as their completions come,
// and waits until all hosts are done.
#pragma once

#include <cstdint>
#include <vector>

#include "platforms/common/verbs/board.h"
#include "platforms/common/verbs/flow_book.h"
#include "tlm/core/core.h"

namespace railyard::rdma {

/// An end of a flow.
struct FlowEnd {
  std::size_t flow = 0;
  bool source = false;

  bool operator<(const FlowEnd& o) const {
    return flow != o.flow ? flow < o.flow : source < o.source;
  }
};

/// What all programs of a run share. It outlives them.
struct FlowSetting {
  FlowSetting(std::vector<Flow> flows, const RequestsConfig& posting, bool carry,
              std::size_t programs)
      : book(std::move(flows)), requests(posting), carried(carry), board(programs) {}

  FlowBook book;
  RequestsConfig requests;
  bool carried;  // payload bytes move
  Board<FlowEnd> board;
};

class FlowProgram {
 public:
  /// `ends`: of this host, in their order.
  FlowProgram(FlowSetting& setting, std::vector<FlowEnd> ends)
      : setting_(setting), ends_(std::move(ends)) {}

  void run(Core& core);

 private:
  FlowSetting& setting_;
  std::vector<FlowEnd> ends_;
};

}  // namespace railyard::rdma
