// Bandwidth of writes and reads over one link against the closed form: the overhead of TLPs, and
// the share of the line that the model counted for DLLPs and skip ordered sets.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/pcie/pair_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {
namespace {

constexpr std::uint64_t kBase = 1ULL << 32;  // above 4 GiB: headers of four dwords
constexpr std::uint32_t kSlots = 64;

struct Case {
  PairConfig pair;
  std::uint32_t bytes = 4096;
  bool writes = false;
  bool reads = false;
};

// What a case came to between a fifth and four fifths of its transfers. Rates in GB/s.
struct Measured {
  double raw = 0;
  double write_rate = 0, read_rate = 0;
  double up_overhead = 0, down_overhead = 0;  // shares of DLLPs and skip ordered sets
  double up_used = 0, down_used = 0;          // shares of all that is on the line
  double up_sum = 0, down_sum = 0;            // of all causes
  double dllps = 0, dllps_counted = 0;        // share of DLLPs of both, by time and by number
  double skips = 0, skips_counted = 0;        // of skip ordered sets
  double data = 0, data_counted = 0;          // of the bytes that TLPs are there for
};

class Load {
 public:
  explicit Load(const Case& what) : case_(what), bench_(what.pair) {
    bench_.keeps = false;
    total_ = std::max<std::uint64_t>(4'000'000 / what.bytes, 2000);
    bench_.on_done = [this](const DmaDone& done) { finished(done.ticket); };
    const unsigned depth = what.bytes <= 512 ? 1024 : 256;
    bench_.run([this, depth] {
      for (unsigned i = 0; i < depth; ++i) {
        if (case_.writes) give(true);
        if (case_.reads) give(false);
      }
    });
  }

  Measured measured() const {
    const double time = static_cast<double>(to_.at - from_.at) / kNanosecond;
    const auto share = [&](const char* name) {
      return (to_.metrics.at(name) - from_.metrics.at(name)) / time;
    };
    Measured m;
    m.raw = static_cast<double>(bench_.device_port.rate().numerator()) /
            static_cast<double>(bench_.device_port.rate().denominator()) / 8e9;
    m.write_rate = static_cast<double>(to_.written - from_.written) / time;
    m.read_rate = static_cast<double>(to_.read - from_.read) / time;
    m.up_overhead = share("device.time.dllp_ns") + share("device.time.skip_ns");
    m.down_overhead = share("root.time.dllp_ns") + share("root.time.skip_ns");
    m.up_used = m.up_overhead + share("device.time.data_ns") + share("device.time.headers_ns");
    m.down_used = m.down_overhead + share("root.time.data_ns") + share("root.time.headers_ns");
    const double bytes = m.raw * time;
    m.dllps = share("device.time.dllp_ns") + share("root.time.dllp_ns");
    m.skips = share("device.time.skip_ns") + share("root.time.skip_ns");
    for (const char* name :
         {"device.tx_acks", "device.tx_updates", "root.tx_acks", "root.tx_updates"}) {
      m.dllps_counted += share(name) * time * kDllpBytes / bytes;
    }
    m.data = share("device.time.data_ns") + share("root.time.data_ns");
    m.data_counted = (share("device.tx_data_bytes") + share("root.tx_data_bytes")) * time / bytes;
    for (const char* name : {"device.tx_skips", "root.tx_skips"}) {
      m.skips_counted += share(name) * time * case_.pair.link.skip_bytes() / bytes;
    }
    for (const auto& [name, value] : to_.metrics) {
      const double part = (value - from_.metrics.at(name)) / time;
      if (name.rfind("device.time.", 0) == 0) m.up_sum += part;
      if (name.rfind("root.time.", 0) == 0) m.down_sum += part;
    }
    return m;
  }

 private:
  struct Look {
    Time at = 0;
    std::uint64_t written = 0, read = 0;
    std::map<std::string, double> metrics;
  };

  void give(bool write) {
    DmaRequest request;
    request.write = write;
    request.address = kBase + given_++ % kSlots * 8192;
    request.bytes = case_.bytes;
    request.elided = true;
    writes_.push_back(write);
    bench_.give(std::move(request));
  }

  void finished(std::uint64_t ticket) {
    const bool write = writes_[ticket];
    (write ? now_.written : now_.read) += case_.bytes;
    const std::uint64_t done = (now_.written + now_.read) / case_.bytes;
    if (done == total_ / 5) look(from_);
    if (done == total_ / 5 * 4) look(to_);
    if (given_ < total_) give(write);
  }

  void look(Look& look) {
    look = now_;
    look.at = bench_.simulation.partition().now();
    look.metrics = bench_.metrics();
  }

  Case case_;
  const support::FreshKernel kernel_;
  PairBench bench_;
  std::uint64_t total_ = 0;
  std::uint64_t given_ = 0;
  std::vector<bool> writes_;  // by ticket
  Look now_, from_, to_;
};

// More tags and reads than the round trip needs, so that the line is what limits.
PairConfig pair() {
  PairConfig config;
  config.memory_base = kBase;
  config.requester.tags = 768;
  config.requester.queue = 32;
  config.completer.reads = 1024;
  return config;
}

Measured run(const Case& what) {
  const Measured m = Load(what).measured();
  EXPECT_NEAR(m.up_sum, 1, 1e-9) << "the causes of device's time do not sum to it";
  EXPECT_NEAR(m.down_sum, 1, 1e-9) << "the causes of root's time do not sum to it";
  EXPECT_GT(m.up_overhead + m.down_overhead, 0);
  EXPECT_NEAR(m.dllps / m.dllps_counted, 1, 0.01);
  EXPECT_NEAR(m.data / m.data_counted, 1, 0.01);
  // Those in idle time go out unseen.
  EXPECT_LE(m.skips, m.skips_counted * 1.02);
  EXPECT_GE(m.skips, m.skips_counted * 0.4);
  EXPECT_LT(m.up_overhead, 0.06);
  EXPECT_LT(m.down_overhead, 0.06);
  return m;
}

double write_form(const Case& what) {
  return write_efficiency(kBase, what.bytes, what.pair.max_payload);
}
ReadEfficiency read_form(const Case& what) {
  const CompletionRule rule{what.pair.completer.split, what.pair.max_payload,
                            what.pair.completer.boundary};
  return read_efficiency(kBase, what.bytes, what.pair.max_read_request, rule);
}

// Returns the rate without the share of DLLPs and skip ordered sets, GB/s.
double expect_writes(PairConfig config, std::uint32_t bytes) {
  const Case what{config, bytes, true, false};
  const Measured m = run(what);
  const double expected = m.raw * write_form(what) * (1 - m.up_overhead);
  EXPECT_NEAR(m.write_rate / expected, 1, 0.01) << "writes of " << bytes << " B";
  return m.write_rate / (1 - m.up_overhead);
}
double expect_reads(PairConfig config, std::uint32_t bytes) {
  const Case what{config, bytes, false, true};
  const Measured m = run(what);
  const double expected = m.raw * read_form(what).down * (1 - m.down_overhead);
  EXPECT_NEAR(m.read_rate / expected, 1, 0.01) << "reads of " << bytes << " B";
  return m.read_rate / (1 - m.down_overhead);
}

constexpr double kPercent = 0.01;

// GB/s at a max payload of 256 B, before DLLPs and skip ordered sets.
struct Row {
  std::uint32_t bytes;
  double write, read, read_in_64;
};
constexpr Row kTable[] = {
    {64, 45.83, 48.01, 48.01},   {128, 53.07, 54.50, 48.01},  {256, 57.61, 58.45, 48.01},
    {512, 57.61, 58.45, 48.01},  {1024, 57.61, 58.45, 48.01}, {2048, 57.61, 58.45, 48.01},
    {4096, 57.61, 58.45, 48.01},
};

TEST(PcieBandwidth, WritesReachTheClosedForm) {
  for (const Row& row : kTable) {
    EXPECT_NEAR(expect_writes(pair(), row.bytes) / row.write, 1, kPercent) << row.bytes;
  }
}

TEST(PcieBandwidth, ReadsReachTheClosedForm) {
  for (const Row& row : kTable) {
    EXPECT_NEAR(expect_reads(pair(), row.bytes) / row.read, 1, kPercent) << row.bytes;
  }
}

TEST(PcieBandwidth, ReadsThatAreCompletedIn64BytesReachTheClosedForm) {
  PairConfig config = pair();
  config.completer.split = CompletionSplit::kBoundary;
  for (const Row& row : kTable) {
    EXPECT_NEAR(expect_reads(config, row.bytes) / row.read_in_64, 1, kPercent) << row.bytes;
  }
}

TEST(PcieBandwidth, AByteBeyondAPayloadCostsAHeader) {
  const double at_256 = expect_writes(pair(), 256);
  const double at_257 = expect_writes(pair(), 257);
  const double at_512 = expect_writes(pair(), 512);
  const double at_513 = expect_writes(pair(), 513);
  // 257 B take 308 on the line instead of 280 for 256, 513 take 588 instead of 560.
  EXPECT_NEAR(at_257 / at_256, 257.0 / 308 / (256.0 / 280), 0.005);
  EXPECT_NEAR(at_513 / at_512, 513.0 / 588 / (512.0 / 560), 0.005);
  EXPECT_LT(expect_reads(pair(), 257), expect_reads(pair(), 256));
  EXPECT_LT(expect_reads(pair(), 513), expect_reads(pair(), 512));
}

TEST(PcieBandwidth, EveryMaxPayloadHoldsTheClosedForm) {
  for (const std::uint32_t max_payload : {128U, 256U, 512U}) {
    PairConfig config = pair();
    config.max_payload = max_payload;
    expect_writes(config, 4096);
    expect_reads(config, 4096);
  }
}

TEST(PcieBandwidth, EveryMaxReadRequestHoldsTheClosedForm) {
  for (std::uint32_t max_read = 128; max_read <= 4096; max_read *= 2) {
    PairConfig config = pair();
    config.max_read_request = max_read;
    expect_reads(config, 4096);
  }
}

TEST(PcieBandwidth, NarrowAndSlowLinksHoldTheClosedForm) {
  constexpr unsigned kLinks[][2] = {{3, 8}, {4, 4}, {5, 1}};
  for (const auto& [generation, lanes] : kLinks) {
    PairConfig config = pair();
    config.link.generation = generation;
    config.link.lanes = lanes;
    for (const std::uint32_t bytes : {64U, 256U, 4096U}) {
      expect_writes(config, bytes);
      expect_reads(config, bytes);
    }
  }
}

// Both directions are full: each of them carries its data, the headers, and what is owed to the
// other.
TEST(PcieBandwidth, BothDirectionsAtOnceFillBothLines) {
  for (const unsigned generation : {3U, 5U}) {
    Case what{pair(), 4096, true, true};
    what.pair.link.generation = generation;
    what.pair.link.lanes = generation == 3 ? 8 : 16;
    const Measured m = run(what);
    const double read_down = m.read_rate / (m.raw * read_form(what).down);
    const double read_up = m.read_rate / (m.raw * read_form(what).up);
    const double write_up = m.write_rate / (m.raw * write_form(what));
    EXPECT_NEAR(read_down + m.down_overhead, 1, kPercent);
    EXPECT_NEAR(write_up + read_up + m.up_overhead, 1, kPercent);
    EXPECT_GT(m.up_used, 0.99);
    EXPECT_GT(m.down_used, 0.99);
    // The other direction's TLPs cost acknowledgements and updates, which one direction has not.
    EXPECT_GT(m.up_overhead, 0.004);
    EXPECT_GT(m.down_overhead, 0.004);
  }
}

}  // namespace
}  // namespace railyard::pcie::bench
