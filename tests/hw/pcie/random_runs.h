// Random transfers over a link that is as hard on them as it may be.
#pragma once

#include "tests/hw/pcie/random_load.h"
#include "tests/support/fresh_kernel.h"

namespace railyard::pcie::bench {

/// The fewest credits that are legal, few tags, little room, receivers that stall, and wrong bits.
inline PairConfig hard_pair(std::uint64_t seed, double bit_error_rate) {
  PairConfig config;
  config.max_payload = 128U << seed % 3;
  config.max_read_request = 128U << seed % 6;
  const std::uint32_t payload = config.max_payload / 16;
  config.root_credits = {1 + static_cast<std::uint32_t>(seed % 3), payload, 1, 1, 0, 0};
  config.device_credits = {1, payload, 1, 1, 0, 0};
  config.link.replay_buffer = kibibytes(5);
  config.link.retrain_time = 10 * kMicrosecond;
  config.link.bit_error_rate = bit_error_rate;
  config.link.receive_stall.probability = 0.02;
  config.link.receive_stall.longest = 200 * kNanosecond;
  config.requester.tags = 32;
  config.requester.completion_room = kibibytes(4);
  config.requester.queue = 1 + static_cast<std::uint32_t>(seed % 8);
  config.completer.reads = 4;
  config.completer.split =
      seed % 2 == 0 ? CompletionSplit::kMaxPayload : CompletionSplit::kBoundary;
  config.run.seed = seed;
  return config;
}

struct Happened {
  double replays = 0, naks = 0, retrains = 0, corrupted = 0, duplicates = 0, credits = 0;
};

/// Runs so many requests; the checkers and the bytes say whether they went well.
inline Happened run_hard(std::uint64_t seed, std::uint64_t requests, double bit_error_rate) {
  RandomConfig load_config;
  load_config.seed = seed;
  load_config.requests = requests;
  const support::FreshKernel kernel;
  PairConfig pair = RandomLoad::prepared(hard_pair(seed, bit_error_rate), load_config);
  PairBench bench{pair};
  // Fewer tags than any device has, so that reads wait for them.
  bench.requester.set_limits(pair.max_payload, pair.max_read_request, 5);
  RandomLoad load{bench, load_config};
  EXPECT_EQ(bench.run([&] { load.start(); }), RunEnd::kDrained);
  load.expect_all_done();
  EXPECT_EQ(bench.within_call, 0U);
  Happened happened;
  for (const char* port : {"device.", "root."}) {
    const std::string p = port;
    happened.replays += bench.metric(p + "replays");
    happened.naks += bench.metric(p + "tx_naks");
    happened.retrains += bench.metric(p + "retrains");
    happened.corrupted += bench.metric(p + "rx_corrupted");
    happened.duplicates += bench.metric(p + "rx_duplicates");
    happened.credits += bench.metric(p + "time.credits_ns");
    double sum = 0;
    for (const auto& [name, value] : bench.metrics()) {
      if (name.rfind(p + "time.", 0) != 0) continue;
      EXPECT_GE(value, 0) << name;
      sum += value;
    }
    EXPECT_NEAR(sum * kNanosecond / static_cast<double>(bench.simulation.now()), 1, 1e-9);
  }
  return happened;
}

}  // namespace railyard::pcie::bench
