#include "tests/bench/fabric_cases.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <systemc>

#include "platforms/common/fabric/tester_fabric.h"
#include "platforms/common/yaml_reader.h"
#include "tlm/sim/simulation.h"
#include "waveforms/trace_file.h"

namespace railyard::bench {

namespace {

constexpr Time kShippedTime = 50 * kMicrosecond;

/// N:1 on one switch, whose buffer is the same for any N. A frame has 998 B: a write of 920 B in
/// one packet. PFC and ECN both act.
/// `engine` computes the blocks of congestion control.
std::string incast(int senders, int messages, const char* engine = "model") {
  return "{data: elided, link: {rate: 100Gbps, length: 20m}, topology: {kind: star, hosts: " +
         std::to_string(senders + 1) +
         "}, switch: {buffer: 32MiB, headroom: {largest_frame: 1522, largest_lossless_frame: "
         "1522}, "
         "ecn: {kmin: 150KB, kmax: 1430KB}}, nic: {path_mtu: 1024}, traffic: {pattern: incast, "
         "senders: " +
         std::to_string(senders) + ", messages: " + std::to_string(messages) +
         ", message_size: 920B}, congestion: {engine: " + engine + "}}";
}

/// The shipped configuration of platform incast, RTL in the loop.
std::string shipped(const char* clocking) {
  return std::string(
             "{data: elided, link: {rate: 400Gbps, length: 5m}, topology: {kind: star, hosts: 9}, "
             "switch: {buffer: 32MiB, ecn: {kmin: 150KB, kmax: 1430KB, pmax: 1}}, nic: {path_mtu: "
             "4096}, traffic: {pattern: incast, senders: 8, messages: 64, message_size: 64KiB}, "
             "congestion: {engine: rtl, clocking: ") +
         clocking + "}}";
}

/// DCQCN's loop closed: eight senders at 100 Gb/s of so many queue pairs in all, marks at dequeue,
/// no PFC. A packet takes 1,106 B of the line.
std::string closed_loop(int qps, const char* engine) {
  constexpr int kSenders = 8;
  std::string flows;
  for (int i = 0; i < qps; ++i) {
    flows += "{source: h" + std::to_string(i % kSenders) + ", destination: h8}, ";
  }
  return std::string(
             "{data: elided, link: {rate: 100Gbps, length: 20m}, topology: {kind: star, hosts: 9}, "
             "switch: {buffer: 256MiB, pfc: {enabled: false}, ecn: {kmin: 5KB, kmax: 200KB, pmax: "
             "0.01}}, nic: {path_mtu: 1024}, congestion: {algorithm: dcqcn, engine: ") +
         engine + "}, traffic: {pattern: list, messages: 1, message_size: 1GiB, flows: [" + flows +
         "]}}";
}
constexpr Time kLoopTime = 20 * kMillisecond;

/// All 128 hosts of a fat tree send to one another.
const char* const kFatTree =
    "{data: elided, link: {rate: 100Gbps, length: 20m}, topology: {kind: fat_tree, k: 8}, "
    "nic: {path_mtu: 1024}, traffic: {pattern: permutation, messages: 2000, message_size: 920B}, "
    "congestion: {engine: model}}";

/// A file of its own for each run, gone when it is.
class ScratchTrace {
 public:
  ScratchTrace() {
    char folder[] = "/tmp/railyard-bench-XXXXXX";
    if (mkdtemp(folder) == nullptr) throw std::runtime_error("no folder for a trace in /tmp");
    folder_ = folder;
  }
  ~ScratchTrace() {
    std::remove(path().c_str());
    std::remove(folder_.c_str());
  }
  ScratchTrace(const ScratchTrace&) = delete;
  ScratchTrace& operator=(const ScratchTrace&) = delete;
  std::string path() const { return folder_ + "/bench.fst"; }

 private:
  std::string folder_;
};

/// Counts what it hands on.
struct CountingTrace : ProbeSink {
  void change(std::uint32_t id, std::uint64_t value, Time now) override {
    ++changes;
    file->change(id, value, now);
  }
  TraceFile* file = nullptr;
  std::uint64_t changes = 0;
};

std::uint64_t metric_of(const Simulation& simulation, const std::string& name) {
  for (const Metric& metric : simulation.metrics()) {
    if (metric.info.name == name) return metric.value.whole;
  }
  throw std::logic_error("no metric is named " + name);
}

/// An operation is a frame-hop, or one of what the metric `packets_of` counts.
Sample hop(const std::string& text, std::size_t signals, Time until = kForever / 2,
           const char* packets_of = nullptr) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  FabricConfig config;
  bind_config(read_yaml_text(text, "bench"), config);
  Simulation simulation{{}};
  TesterFabric fabric(config, simulation, false);
  simulation.seal();

  const ScratchTrace scratch;
  std::unique_ptr<TraceFile> trace;
  CountingTrace sink;
  if (signals != 0) {
    trace = std::make_unique<TraceFile>(scratch.path());
    sink.file = trace.get();
    ProbeRegistry some;
    // Of all ports alike: the signals of the switch come last by name.
    auto& probes = simulation.partition().probes().probes();
    for (std::size_t i = probes.size() - signals; i < probes.size(); ++i) {
      some.add(*probes[i].point, probes[i].info);
    }
    some.seal();
    trace->connect(some, "*", &sink);
  }
  Sample sample;
  sample.seconds = seconds_of([&] {
    simulation.run(until);
    if (trace) trace->close(simulation.now());
  });
  sample.operations =
      packets_of == nullptr ? simulation.frame_hops() : metric_of(simulation, packets_of);
  sample.kernel_events = simulation.kernel_events();
  sample.changes = sink.changes;
  for (std::size_t i = 0; i < kBlockKinds; ++i) {
    sample.block_cycles[i] = fabric.blocks()->cycles(static_cast<BlockKind>(i));
  }
  return sample;
}

Sample loop(int qps, const char* engine) {
  return hop(closed_loop(qps, engine), 0, kLoopTime, "h8.nic0.received_packets");
}

}  // namespace

std::vector<Case> fabric_cases() {
  return {
      {"switch.hop",
       "frame-hop",
       "8:1 incast, 1,000 B frames, PFC and ECN",
       8,
       {},
       [] { return hop(incast(8, 40'000), 0); }},
      {"switch.hop_256",
       "frame-hop",
       "256:1 incast, likewise",
       {},
       Relative{"switch.hop", 1.5},
       [] { return hop(incast(256, 1250), 0); }},
      {"switch.hop_tree",
       "frame-hop",
       "Fat tree of 128 hosts, permutation",
       {},
       Relative{"switch.hop", 1.5},
       [] { return hop(kFatTree, 0); }},
      {"switch.hop_traced",
       "frame-hop",
       "8:1 incast with 100 signals traced",
       12,
       {},
       [] { return hop(incast(8, 40'000), 100); }},
      {"switch.hop_rtl",
       "frame-hop",
       "8:1 incast with the blocks of congestion control in RTL",
       {},
       Relative{"switch.hop", 1.5},
       [] { return hop(incast(8, 40'000, "rtl"), 0); }},
      {"incast.free_running",
       "frame-hop",
       "50 us of the shipped incast, RTL clocked in every cycle",
       {},
       {},
       [] { return hop(shipped("free_running"), 0, kShippedTime); }},
      {"incast.gated",
       "frame-hop",
       "The same, in the cycles that change a register",
       {},
       Relative{"incast.free_running", 0.1},
       [] { return hop(shipped("gated"), 0, kShippedTime); }},
      {"dcqcn.loop_8",
       "packet",
       "8 senders of 1 queue pair each: DCQCN, pacer, ECN",
       {},
       {},
       [] { return loop(8, "model"); }},
      {"dcqcn.loop_8_rtl",
       "packet",
       "The same, all blocks in RTL",
       {},
       Relative{"dcqcn.loop_8", 2},
       [] { return loop(8, "rtl"); }},
      {"dcqcn.loop_1024",
       "packet",
       "8 senders of 128 queue pairs each",
       {},
       {},
       [] { return loop(1024, "model"); }},
      {"dcqcn.loop_1024_rtl",
       "packet",
       "The same, all blocks in RTL",
       {},
       Relative{"dcqcn.loop_1024", 2},
       [] { return loop(1024, "rtl"); }},
  };
}

}  // namespace railyard::bench
