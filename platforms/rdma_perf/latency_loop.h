// perftest's run_iter_lat_write, run_iter_lat_send and run_iter_lat: one message at a time, to and
// fro, or read after read.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <vector>

#include "platforms/rdma_perf/connection.h"
#include "platforms/rdma_perf/results.h"
#include "tlm/core/address_space.h"

namespace railyard::rdma_perf {

struct Setting;

class LatencyLoop {
 public:
  LatencyLoop(Device& device, AddressSpace& memory, Setting& setting, Connection& connection,
              const CompletionQueues& queues, std::size_t size);
  ~LatencyLoop();
  LatencyLoop(const LatencyLoop&) = delete;
  LatencyLoop& operator=(const LatencyLoop&) = delete;

  void prepare();
  void run();

 private:
  void ping_pong();
  void read();
  void post();
  void wait_for_message();
  void wait_for(ibv_cq* cq);
  void add_message(Time posted, bool to_here);
  SizeResult& result() const;

  Device& device_;
  AddressSpace& memory_;
  Setting& setting_;
  const TestConfig& config_;
  Connection& connection_;
  CompletionQueues queues_;
  std::size_t size_;
  std::uint64_t iterations_;
  bool client_;
  std::uint8_t* last_sent_;      // last byte of what is sent
  std::uint8_t* last_received_;  // and of what comes
  Address received_at_ = 0;      // where the latter is on the bus
  std::uint64_t posted_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t receives_posted_ = 0;
};

}  // namespace railyard::rdma_perf
