// What rdma_perf measures: perftest's modes and options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/base/quantity.h"
#include "tlm/config/parameters.h"

namespace railyard::rdma_perf {

enum class TestKind : std::uint8_t { kWrite, kRead, kSend };
enum class Measure : std::uint8_t { kBandwidth, kLatency };

/// Path MTU by message size.
struct PolicyConfig {
  Bytes below = 0;  // 0: no policy
  std::uint32_t small_mtu = 1024;
  std::uint32_t bulk_mtu = 4096;

  void declare(Parameters& p);
};

/// Who talks to whom.
struct PairConfig {
  std::string client;
  std::string server;
  Mark mark;

  void declare(Parameters& p);
};

struct TestConfig {
  TestConfig();

  TestKind test = TestKind::kWrite;
  Measure measure = Measure::kBandwidth;
  std::vector<Bytes> sizes;  // 2 B to 8 MiB, powers of two
  bool mixed = false;
  std::uint32_t iterations = 1000;
  Bytes most_bytes = 0;
  std::uint32_t depth = 128;
  std::uint32_t receive_depth = 512;
  std::uint32_t qps = 1;
  std::uint32_t inline_bytes = 0;
  std::uint32_t post_list = 1;
  std::optional<std::uint32_t> signal_every;
  std::uint32_t reads = 16;
  bool bidirectional = false;
  bool events = false;
  std::uint32_t traffic_class = 96;
  std::uint32_t path_mtu = 4096;  // not a key here: nic.path_mtu
  PolicyConfig policy;
  std::vector<PairConfig> pairs;

  /// Declares its keys among the caller's.
  void declare(Parameters& p);

  /// Messages from one completion to the next. perftest's rule where none is written: 100, and 1
  /// beyond 8 KiB; never more than `depth`.
  /// Of each queue pair of messages of so many bytes.
  std::uint64_t iterations_of(std::uint64_t bytes) const;
  std::uint32_t signal_every_of(std::uint64_t bytes) const;
  std::uint32_t path_mtu_of(std::uint64_t bytes) const;
  bool inlined(std::uint64_t bytes) const {
    return test != TestKind::kRead && bytes <= inline_bytes;
  }
};

}  // namespace railyard::rdma_perf
