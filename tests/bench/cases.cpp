#include "tests/bench/cases.h"

#include <deque>
#include <memory>
#include <string>

#include <systemc>

#include "platforms/common/run_config.h"
#include "platforms/common/yaml_reader.h"
#include "platforms/link/link_platform.h"
#include "tests/bench/fabric_cases.h"
#include "tests/bench/hbm_cases.h"
#include "tests/bench/nic_cases.h"
#include "tests/bench/pcie_cases.h"
#include "tlm/link/link.h"
#include "tlm/link/link_checker.h"
#include "tlm/link/stubs.h"
#include "tlm/sim/simulation.h"

namespace railyard::bench {

namespace {

constexpr std::uint64_t kKernelEvents = 2'000'000;

struct Raw : sc_core::sc_module {
  SC_HAS_PROCESS(Raw);
  explicit Raw(sc_core::sc_module_name name) : sc_module(name) {
    SC_METHOD(fire);
    sensitive << event;
    dont_initialize();
    event.notify(1, sc_core::SC_PS);
  }
  void fire() {
    if (++count < kKernelEvents) event.notify(1, sc_core::SC_PS);
  }
  sc_core::sc_event event;
  std::uint64_t count = 0;
};

// --- scheduler ---

/// One of many events that are due again after a while, at random.
struct Timer {
  Timer(Partition& partition, const std::string& name, std::uint64_t& left, Time spread)
      : p(partition),
        random(partition.random(name)),
        remaining(left),
        longest(static_cast<std::uint64_t>(spread)),
        event(Event::of<&Timer::fire>(*this, partition.endpoint(name), Phase::kTimer)) {}
  void start() { p.scheduler().schedule_in(event, delay()); }
  void fire() {
    if (remaining == 0) return;
    --remaining;
    start();
  }
  Time delay() { return 1 + static_cast<Time>(random.below(longest)); }
  Partition& p;
  RandomStream random;
  std::uint64_t& remaining;
  std::uint64_t longest;
  Event event;
};

// Delays of 1 to 2,000 ps a pending event: the same number of distinct times whatever the depth.
Sample scheduler_event(std::size_t pending) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  Simulation simulation{{}};
  Partition& p = simulation.partition();
  std::uint64_t left = 2'000'000;
  std::deque<Timer> timers;
  for (std::size_t i = 0; i < pending; ++i) {
    timers.emplace_back(p, "t" + std::to_string(i), left, static_cast<Time>(pending) * 2000);
  }
  simulation.seal();
  for (Timer& timer : timers) timer.start();
  Sample sample;
  sample.seconds = seconds_of([&] { simulation.run(kForever / 2); });
  sample.operations = simulation.events_fired();
  sample.kernel_events = simulation.kernel_events();
  return sample;
}

// --- link ---

/// Sends its packets again as soon as the line is free: a link at line rate.
class Saturated {
 public:
  Saturated(Simulation& simulation, bool checks)
      : left_("left"),
        right_("right"),
        left_end_("left_link", simulation.partition(), config(), Announce::kLastBit),
        right_end_("right_link", simulation.partition(), config(), Announce::kLastBit),
        pool_(simulation.partition().packets()) {
    bind_both(left_, left_end_);
    bind_both(right_, right_end_);
    LinkEnd::connect(left_end_, right_end_);
    if (checks) check_link(left_end_, right_end_);
    left_.on_line = [this](const PacketPhase& phase) {
      if (phase.kind == PacketPhase::Kind::kTransmitDone) send_next();
    };
    right_.on_packet = [](net::Packet&, const PacketPhase&) {};
  }

  void send_next() {
    if (left_to_send_ == 0) return;
    --left_to_send_;
    const Ref<net::Packet> packet = pool_.packets.acquire();
    packet->frame.ethernet.type = net::EtherType::kIpv4;
    packet->frame.payload_bytes = 4096;
    packet->seal();
    left_.send_now(*packet);
  }

 private:
  static LinkConfig config() {
    LinkConfig config;
    config.length = metres(30);
    return config;
  }

  PacketStub left_;
  PacketStub right_;
  LinkEnd left_end_;
  LinkEnd right_end_;
  net::PacketPool& pool_;
  std::uint64_t left_to_send_ = 1'000'000;
};

Sample link_hop(bool checks, std::size_t partitions) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  SimulationConfig config;
  config.partitions = partitions;
  Simulation simulation{config};
  Saturated link(simulation, checks);
  simulation.seal();
  Endpoint endpoint;
  Event start = Event::of<&Saturated::send_next>(link, endpoint, Phase::kAct);
  simulation.partition().scheduler().schedule(start, 0);
  Sample sample;
  sample.seconds = seconds_of([&] { simulation.run(kForever / 2); });
  sample.operations = simulation.frame_hops();
  sample.kernel_events = simulation.kernel_events();
  return sample;
}

// --- probes ---

struct CountingSink : ProbeSink {
  void change(std::uint32_t /*id*/, std::uint64_t value, Time /*now*/) override { sum += value; }
  std::uint64_t sum = 0;
};

Sample probe_set(bool on) {
  constexpr std::uint64_t kSets = 50'000'000;
  Probe probe;
  CountingSink sink;
  if (on) probe.connect(&sink, 0);
  Sample sample;
  sample.operations = kSets;
  sample.seconds = seconds_of([&] {
    for (std::uint64_t i = 1; i <= kSets; ++i) {
      probe.set(i, static_cast<Time>(i));
      asm volatile("" : : "r"(&probe) : "memory");  // each set is one that could be seen
    }
  });
  return sample;
}

// --- configuration ---

/// All keys of a file of the platform.
struct File {
  RunConfig run;
  LinkPlatformConfig platform;
  void declare(Parameters& p) {
    run.declare(p);
    platform.declare(p);
  }
};

Sample config_parse() {
  constexpr std::uint64_t kParses = 200;
  const std::string path = RAILYARD_SOURCE_DIR "/platforms/link/link.yaml";
  Sample sample;
  sample.operations = kParses;
  sample.seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < kParses; ++i) {
      File config;
      bind_config(read_yaml_file(path), config);
    }
  });
  return sample;
}

}  // namespace

Sample raw_kernel_event() {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  Raw raw("raw");
  Sample sample;
  sample.operations = kKernelEvents;
  sample.kernel_events = kKernelEvents;
  sample.seconds = seconds_of([] { sc_core::sc_start(); });
  return sample;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = {
      {"scheduler.16",
       "event",
       "A scheduler's event, 16 pending",
       2.5,
       {},
       [] { return scheduler_event(16); }},
      {"scheduler.1000",
       "event",
       "A scheduler's event, 1,000 pending",
       3.5,
       {},
       [] { return scheduler_event(1000); }},
      {"scheduler.100000",
       "event",
       "A scheduler's event, 100,000 pending",
       12,
       {},
       [] { return scheduler_event(100'000); }},
      {"link.hop",
       "packet",
       "A packet made, sent and received over a link",
       5,
       {},
       [] { return link_hop(false, 1); }},
      {"link.hop_checked",
       "packet",
       "The same, with the link checker on",
       5,
       {},
       [] { return link_hop(true, 1); }},
      {"probe.off",
       "set",
       "A probe that nobody listens to",
       0.05,
       {},
       [] { return probe_set(false); }},
      {"probe.on",
       "set",
       "A probe into a sink that does nothing",
       0.2,
       {},
       [] { return probe_set(true); }},
      {"config.parse",
       "file",
       "Reading, binding and checking platforms/link/link.yaml",
       12'000,
       {},
       [] { return config_parse(); }},
  };
  for (Case& one : fabric_cases()) cases.push_back(std::move(one));
  for (Case& one : pcie_cases()) cases.push_back(std::move(one));
  for (Case& one : hbm_cases()) cases.push_back(std::move(one));
  for (Case& one : nic_cases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace railyard::bench
