#include "platforms/rdma_perf/test_config.h"

#include <algorithm>
#include <set>
#include <utility>

#include "hw/nic/nic_abi.h"
#include "platforms/rdma_perf/perf_statistics.h"

namespace railyard::rdma_perf {

namespace {

constexpr std::uint64_t kLargest = 8ULL << 20;

const std::vector<std::pair<std::string, std::uint32_t>>& path_mtus() {
  static const std::vector<std::pair<std::string, std::uint32_t>> kMtus = {
      {"256", 256}, {"512", 512}, {"1024", 1024}, {"2048", 2048}, {"4096", 4096}};
  return kMtus;
}

void check_latency(const TestConfig& config, const Bound& bound) {
  if (config.measure != Measure::kLatency) return;
  const std::string setting = "measure: bandwidth";
  bound.needs("qps", config.qps != 1, setting);
  bound.needs("bidirectional", config.bidirectional, setting);
  bound.needs("mixed", config.mixed, setting);
  bound.needs("post_list", config.post_list != 1, setting);
  bound.needs("signal_every", config.signal_every.has_value(), setting);
  if (config.events && config.test == TestKind::kWrite) {
    bound.fail("events", "the latency of a WRITE is seen in memory, where nothing completes",
               "write test: read or send, or no events");
  }
  if (config.pairs.size() > 1) {
    bound.fail("pairs", "latency is measured between two hosts", "write one pair");
  }
  if (config.iterations < kLeastIterations) {
    bound.fail("iterations", "there is nothing left to measure",
               "write at least " + std::to_string(kLeastIterations));
  }
}

void check(const TestConfig& config, const Bound& bound) {
  std::set<std::uint64_t> seen;
  for (const Bytes& size : config.sizes) {
    if (seen.insert(size).second) continue;
    bound.fail("sizes", std::to_string(size) + "B stands there twice", "write each size once");
  }
  if (config.mixed && config.sizes.size() < 2) {
    bound.fail("mixed", "there is one size", "write two or more sizes");
  }
  if (config.mixed && config.test == TestKind::kSend) {
    bound.fail("mixed", "receivers of SENDs have buffers of one size", "write test: write or read");
  }
  if (config.signal_every && *config.signal_every > config.depth) {
    bound.fail("signal_every",
               "no completion would come before " + std::to_string(config.depth) +
                   " messages are outstanding, the depth",
               "write at most depth");
  }
  if (config.post_list > config.depth) {
    bound.fail("post_list",
               "a list of " + std::to_string(config.post_list) + " does not fit into a depth of " +
                   std::to_string(config.depth),
               "write at most depth");
  }
  // A list that waits for room must not wait for a completion that nobody has asked for.
  const std::uint32_t most = config.depth - std::min(config.post_list, config.depth) + 1;
  if (config.signal_every && *config.signal_every > most) {
    bound.fail("signal_every",
               "a list of " + std::to_string(config.post_list) +
                   " would wait for room in a depth of " + std::to_string(config.depth) +
                   ", and no completion would come",
               "write at most " + std::to_string(most));
  }
  bound.needs("inline", config.test == TestKind::kRead && config.inline_bytes != 0,
              "test: write or send");
  check_latency(config, bound);
}

}  // namespace

void PolicyConfig::declare(Parameters& p) {
  p.add("below", below)
      .max(kLargest)
      .doc("Messages of at most so many bytes are small; 0B: no policy, all use nic.path_mtu");
  p.choice("small_mtu", small_mtu, path_mtus())
      .doc("Path MTU of the queue pairs of small messages");
  p.choice("bulk_mtu", bulk_mtu, path_mtus()).doc("Path MTU of the queue pairs of all others");
}

void PairConfig::declare(Parameters& p) {
  p.add("client", client).required().doc("The host that posts, such as h0");
  p.add("server", server).required().doc("The host whose memory, or receive queue, it reaches");
  p.where(mark);
}

TestConfig::TestConfig() {
  for (std::uint64_t size = 2; size <= kLargest; size *= 2) sizes.emplace_back(size);
}

void TestConfig::declare(Parameters& p) {
  p.choice("test", test,
           {{"write", TestKind::kWrite}, {"read", TestKind::kRead}, {"send", TestKind::kSend}})
      .doc("ib_write_*, ib_read_*, ib_send_* of perftest");
  p.choice("measure", measure, {{"bandwidth", Measure::kBandwidth}, {"latency", Measure::kLatency}})
      .doc(
          "ib_*_bw: as many messages as depth allows; ib_*_lat: one after another, half a round "
          "trip of write and send, a whole one of read");
  p.list("sizes", sizes)
      .size(1, 64)
      .range(1, kLargest)
      .doc("Bytes of a message, one size after another");
  p.add("mixed", mixed)
      .doc("All sizes at once, each on queue pairs of its own, until each has its iterations");
  p.add("iterations", iterations)
      .range(1, 10'000'000)
      .doc("Messages of each size and queue pair (-n)");
  p.add("most_bytes", most_bytes)
      .max(1ULL << 50)
      .doc(
          "Of large messages so many iterations that they have no more bytes, but enough to be "
          "measured; 0B: as many as of small ones");
  p.add("depth", depth).range(1, 16'384).doc("Messages of a queue pair outstanding (-t)");
  p.add("receive_depth", receive_depth)
      .range(1, 16'384)
      .doc("Receive work requests that wait in a queue pair of test: send (-r)");
  p.add("qps", qps).range(1, 16'384).doc("Queue pairs of each pair of hosts and size (-q)");
  p.add("inline", inline_bytes)
      .max(nic::abi::kMaxInline)
      .doc(
          "Messages of at most so many bytes stand in the WQE (-I); perftest's latency tests: 220");
  p.add("post_list", post_list)
      .range(1, 1024)
      .doc("Work requests of one ibv_post_send, and so of one doorbell (-l)");
  p.add("signal_every", signal_every)
      .range(1, 16'384)
      .doc(
          "Messages from one completion to the next (-Q); none: 100, of messages beyond 8 KiB 1, "
          "at most depth");
  p.add("reads", reads).range(1, 16).doc("READs outstanding of a queue pair, each way (-o)");
  p.add("bidirectional", bidirectional).doc("Both sides post (-b); the table has what both moved");
  p.add("events", events).doc("Waits for completion events instead of polling (-e)");
  p.add("traffic_class", traffic_class)
      .max(255)
      .doc("Of IP: DSCP << 2; its upper three bits are the priority (96: DSCP 24, priority 3)");
  p.group("policy", policy).doc("Path MTU by message size");
  p.list("pairs", pairs).doc("Clients and their servers; none: the first host and the last");
  p.check([this](const Bound& bound) { check(*this, bound); });
}

std::uint64_t TestConfig::iterations_of(std::uint64_t bytes) const {
  if (most_bytes == 0) return iterations;
  const std::uint64_t least = measure == Measure::kLatency ? kLeastIterations : 1;
  return std::min<std::uint64_t>(iterations, std::max(least, most_bytes / bytes));
}

std::uint32_t TestConfig::signal_every_of(std::uint64_t bytes) const {
  constexpr std::uint64_t kModerated = 8192;
  constexpr std::uint32_t kUsual = 100;
  const std::uint32_t usual = bytes > kModerated ? 1 : kUsual;
  return std::min(signal_every.value_or(usual), depth - post_list + 1);
}

std::uint32_t TestConfig::path_mtu_of(std::uint64_t bytes) const {
  if (policy.below == 0) return path_mtu;
  return bytes <= policy.below ? policy.small_mtu : policy.bulk_mtu;
}

}  // namespace railyard::rdma_perf
