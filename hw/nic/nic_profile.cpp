#include "hw/nic/nic_profile.h"

#include <stdexcept>

#include "hw/nic/nic_config.h"

namespace railyard::nic {

namespace {

constexpr const char* kWqeInterval = "stages.wqe.interval";
constexpr const char* kGuess = "no publication known";
constexpr const char* kPerPacket =
    "a packet every 4 cycles: above the line's rate of 1 KiB packets";
constexpr const char* kMessageRate =
    "ib_write_bw, ConnectX at 100GbE, 1 QP, depth 128: the knee of about 7.2 M messages/s. The "
    "slowest stage that a message passes";
constexpr const char* kMessageRateGuess =
    "shorter than the interval fitted to a ConnectX at 100GbE, in proportion to the line";
constexpr const char* kNdrClass =
    "such that ib_write_lat 2 B through a switch is of its class, 1.2 to 1.3 us; how the stages "
    "share it is a guess";
constexpr const char* kSlot5 = "ConnectX-5 VPI product brief: 100GbE, PCIe Gen3 x16";
constexpr const char* kSlot6 = "ConnectX-6 VPI product brief: 200GbE, PCIe Gen4 x16";
constexpr const char* kSlot7 = "ConnectX-7 product brief: 400GbE, PCIe Gen5 x16";
constexpr const char* kReads =
    "payload in flight: twice the line's rate times a read of 0.7 us over PCIe";
constexpr const char* kDatapath = "the narrowest power of two that carries the line at 1 GHz";
constexpr const char* kHost =
    "a server's, in parts: hw/pcie/root_complex_config.h, hw/host/memory_config.h";
constexpr const char* kWriteRow =
    "ib_write_lat 2 B of ConnectX-6 HDR200, 1.87 us, and ib_read_lat 2 B, 1.90 us: what both pass";
constexpr const char* kReadRow =
    "ib_read_lat 2 B, 1.90 us: what a READ passes more often than a WRITE";
constexpr const char* kFetchRow =
    "ib_write_lat 256 B of ConnectX-6 HDR200, 2.87 us: the step beyond the inline limit";

/// Latencies of stages, in cycles of one nanosecond. A WRITE of an inline message passes doorbell,
/// scheduler, context, wqe, packetiser and transmit, then receive, context, transport, translation
/// and dma_write. A READ passes, on its way back, those from packetiser on and completion again.
struct Latencies {
  std::uint64_t doorbell, scheduler, context, wqe, translation, dma_read, packetiser, transmit,
      receive, transport, dma_write, acknowledge, completion, event, fetch;
  Origin origin;
  const char* often;  // the source of those that a READ passes twice, dma_read among them
  const char* once;   // of the others
  const char* fetched;
};

/// The host's latencies, in nanoseconds.
struct HostLatencies {
  std::uint64_t link, request, outbound, reply, memory, invalidate;
  Origin origin;
  const char* source;
};

/// What the profiles do not have alike.
struct Differences {
  const char* slot;
  std::uint64_t rate;
  std::uint64_t generation;
  HostLatencies host;
  std::uint64_t datapath;
  Latencies latencies;
  ProfileNumber wqe_interval;
  std::uint64_t payload_reads;
  std::uint64_t payload_bytes;
  std::uint64_t cached_contexts;
  std::uint64_t receive_buffer;  // KiB
};

void append_stages(std::vector<ProfileNumber>& numbers, const Differences& d) {
  const Latencies& l = d.latencies;
  const auto stage = [&](const char* latency_key, std::uint64_t latency, const char* source,
                         const ProfileNumber& interval) {
    numbers.push_back({latency_key, latency, "cycles", l.origin, source});
    numbers.push_back(interval);
  };
  const auto packet = [](const char* key) {
    return ProfileNumber{key, 4, "cycles", Origin::kAssumed, kPerPacket};
  };
  stage("stages.doorbell.latency", l.doorbell, l.once, packet("stages.doorbell.interval"));
  stage("stages.scheduler.latency", l.scheduler, l.once, packet("stages.scheduler.interval"));
  stage("stages.context.latency", l.context, l.often, packet("stages.context.interval"));
  stage("stages.wqe.latency", l.wqe, l.once, d.wqe_interval);
  stage("stages.translation.latency", l.translation, l.often,
        packet("stages.translation.interval"));
  stage("stages.dma_read.latency", l.dma_read, l.often, packet("stages.dma_read.interval"));
  stage("stages.packetiser.latency", l.packetiser, l.often, packet("stages.packetiser.interval"));
  stage("stages.transmit.latency", l.transmit, l.often, packet("stages.transmit.interval"));
  stage("stages.receive.latency", l.receive, l.often, packet("stages.receive.interval"));
  stage("stages.transport.latency", l.transport, l.often, packet("stages.transport.interval"));
  stage("stages.dma_write.latency", l.dma_write, l.often, packet("stages.dma_write.interval"));
  stage("stages.acknowledge.latency", l.acknowledge, l.often,
        packet("stages.acknowledge.interval"));
  stage("stages.completion.latency", l.completion, l.often, packet("stages.completion.interval"));
  numbers.push_back({"stages.event.latency", l.event, "cycles", Origin::kAssumed, kGuess});
  numbers.push_back({"stages.event.interval", 10, "cycles", Origin::kAssumed, kGuess});
}

std::vector<ProfileNumber> make(const Differences& d) {
  constexpr Origin kAssumed = Origin::kAssumed;
  const HostLatencies& h = d.host;
  std::vector<ProfileNumber> numbers = {
      {"link.rate", d.rate, "Gb/s", Origin::kPublished, d.slot},
      {"pcie_link.generation", d.generation, "", Origin::kPublished, d.slot},
      {"pcie_link.lanes", 16, "lanes", Origin::kPublished, d.slot},
      {"pcie_link.latency", h.link, "ns", h.origin, h.source},
      {"host.root.request_latency", h.request, "ns", h.origin, h.source},
      {"host.root.outbound_latency", h.outbound, "ns", h.origin, h.source},
      {"host.root.completer.reply_latency", h.reply, "ns", h.origin, h.source},
      {"host.memory.latency", h.memory, "ns", h.origin, h.source},
      {"host.core.invalidate", h.invalidate, "ns", h.origin, h.source},
      {"clock", static_cast<std::uint64_t>(kNanosecond), "ps", kAssumed, kGuess},
      {"datapath", d.datapath, "B", kAssumed, kDatapath}};
  append_stages(numbers, d);
  const std::vector<ProfileNumber> rest = {
      {"qp_cache.entries", d.cached_contexts, "contexts", kAssumed, kGuess},
      {"qp_cache.ways", 8, "ways", kAssumed, kGuess},
      {"qp_cache.misses", 16, "misses", kAssumed, kGuess},
      {"key_cache.entries", d.cached_contexts, "keys", kAssumed, kGuess},
      {"key_cache.ways", 8, "ways", kAssumed, kGuess},
      {"key_cache.misses", 16, "misses", kAssumed, kGuess},
      {"translation_cache.entries", d.cached_contexts, "lines of 8 pages", kAssumed, kGuess},
      {"translation_cache.ways", 8, "ways", kAssumed, kGuess},
      {"translation_cache.misses", 16, "misses", kAssumed, kGuess},
      {"dma.payload_reads", d.payload_reads, "reads", kAssumed, kReads},
      {"dma.payload_bytes", d.payload_bytes, "B", kAssumed, kReads},
      {"dma.control_reads", 64, "reads", kAssumed, kGuess},
      {"send.fetch_latency", d.latencies.fetch, "cycles", d.latencies.origin, d.latencies.fetched},
      {"receive.buffer", d.receive_buffer * 1024, "B", kAssumed, kGuess},
      {"receive.xoff", d.receive_buffer * 1024 / 2, "B", kAssumed, "half of the buffer"},
      {"receive.xon", d.receive_buffer * 1024 / 4, "B", kAssumed, "a quarter of the buffer"}};
  numbers.insert(numbers.end(), rest.begin(), rest.end());
  return numbers;
}

struct Profile {
  std::string name;
  std::vector<ProfileNumber> numbers;
};

constexpr HostLatencies kServer = {80, 130, 90, 50, 90, 60, Origin::kAssumed, kHost};
constexpr HostLatencies kGen4Server = {50, 90, 200, 20, 60, 100, Origin::kFitted, kReadRow};
constexpr Latencies kConnectx6 = {120,      110,       10,       491, 10, 10,  6,   15,
                                  15,       10,        10,       10,  10, 100, 480, Origin::kFitted,
                                  kReadRow, kWriteRow, kFetchRow};
constexpr Latencies kConnectx5 = {60,     40,     40,    100, 50, 40,  100, 120,
                                  160,    90,     60,    40,  60, 100, 100, Origin::kAssumed,
                                  kGuess, kGuess, kGuess};
constexpr Latencies kConnectx7 = {
    40,        30,        20,       100, 20, 20,  40,  60,
    70,        40,        20,       20,  30, 100, 100, Origin::kAssumed,
    kNdrClass, kNdrClass, kNdrClass};

Differences connectx5() {
  Differences d{};
  d.slot = kSlot5;
  d.rate = 100;
  d.generation = 3;
  d.host = kServer;
  d.datapath = 16;
  d.latencies = kConnectx5;
  d.wqe_interval = {kWqeInterval, 139, "cycles", Origin::kFitted, kMessageRate};
  d.payload_reads = 64;
  d.payload_bytes = 65'536;
  d.cached_contexts = 1024;
  d.receive_buffer = 512;
  return d;
}

Differences connectx6() {
  Differences d = connectx5();
  d.slot = kSlot6;
  d.rate = 200;
  d.generation = 4;
  d.host = kGen4Server;
  d.datapath = 32;
  d.latencies = kConnectx6;
  d.wqe_interval = {kWqeInterval, 70, "cycles", Origin::kAssumed, kMessageRateGuess};
  return d;
}

Differences connectx7() {
  Differences d = connectx5();
  d.slot = kSlot7;
  d.rate = 400;
  d.generation = 5;
  d.datapath = 64;
  d.latencies = kConnectx7;
  d.wqe_interval = {kWqeInterval, 35, "cycles", Origin::kAssumed, kMessageRateGuess};
  d.payload_bytes = 131'072;
  d.receive_buffer = 1024;
  return d;
}

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> kProfiles = {{"custom", {}},
                                                 {"connectx5_100g", make(connectx5())},
                                                 {"connectx6_200g", make(connectx6())},
                                                 {"connectx7_400g", make(connectx7())}};
  return kProfiles;
}

const ProfileNumber* find(const std::vector<ProfileNumber>& numbers, const std::string& key) {
  for (const ProfileNumber& number : numbers) {
    if (key == number.key) return &number;
  }
  return nullptr;
}

template <class Cache, class Visit>
void visit_cache(const std::string& key, Cache& cache, const Visit& visit) {
  visit(key + ".entries", cache.entries);
  visit(key + ".ways", cache.ways);
  visit(key + ".misses", cache.misses);
}

template <class Stages, class Visit>
void visit_stages(Stages& s, const Visit& visit) {
  const auto stage = [&](const char* name, auto& config) {
    visit(std::string("stages.") + name + ".latency", config.latency);
    visit(std::string("stages.") + name + ".interval", config.interval);
  };
  stage("doorbell", s.doorbell);
  stage("scheduler", s.scheduler);
  stage("context", s.context);
  stage("wqe", s.wqe);
  stage("translation", s.translation);
  stage("dma_read", s.dma_read);
  stage("packetiser", s.packetiser);
  stage("transmit", s.transmit);
  stage("receive", s.receive);
  stage("transport", s.transport);
  stage("dma_write", s.dma_write);
  stage("acknowledge", s.acknowledge);
  stage("completion", s.completion);
  stage("event", s.event);
}

/// Calls visit(key, member) for all that a profile sets. Config: NicConfig, const or not.
template <class Config, class Visit>
void visit_numbers(Config& config, const Visit& visit) {
  visit("clock", config.clock);
  visit("datapath", config.datapath);
  visit_stages(config.stages, visit);
  visit_cache("qp_cache", config.qp_cache, visit);
  visit_cache("key_cache", config.key_cache, visit);
  visit_cache("translation_cache", config.translation_cache, visit);
  visit("dma.payload_reads", config.dma.payload_reads);
  visit("dma.payload_bytes", config.dma.payload_bytes);
  visit("dma.control_reads", config.dma.control_reads);
  visit("send.fetch_latency", config.send.fetch_latency);
  visit("receive.buffer", config.receive.buffer);
  visit("receive.xoff", config.receive.xoff);
  visit("receive.xon", config.receive.xon);
}

}  // namespace

const char* name_of(Origin origin) {
  switch (origin) {
    case Origin::kPublished:
      return "published";
    case Origin::kAssumed:
      return "assumed";
    case Origin::kFitted:
      return "FITTED";
  }
  return "";
}

const std::vector<std::string>& nic_profile_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Profile& profile : profiles()) names.push_back(profile.name);
    return names;
  }();
  return kNames;
}

const std::vector<ProfileNumber>& nic_profile(const std::string& name) {
  for (const Profile& profile : profiles()) {
    if (profile.name == name) return profile.numbers;
  }
  throw std::out_of_range("there is no NIC profile " + name);
}

HostSlot host_slot(const std::string& profile) {
  constexpr std::uint64_t kDefaultGbps = 400;
  const std::vector<ProfileNumber>& numbers = nic_profile(profile);
  HostSlot slot{Rate::gbps(kDefaultGbps)};
  if (numbers.empty()) return slot;
  slot.rate = Rate::gbps(find(numbers, "link.rate")->value);
  slot.generation = static_cast<unsigned>(find(numbers, "pcie_link.generation")->value);
  slot.lanes = static_cast<unsigned>(find(numbers, "pcie_link.lanes")->value);
  const auto time = [&](const char* key) {
    return static_cast<Time>(find(numbers, key)->value) * kNanosecond;
  };
  slot.link_latency = time("pcie_link.latency");
  slot.request_latency = time("host.root.request_latency");
  slot.outbound_latency = time("host.root.outbound_latency");
  slot.reply_latency = time("host.root.completer.reply_latency");
  slot.memory_latency = time("host.memory.latency");
  slot.invalidate = time("host.core.invalidate");
  return slot;
}

void apply_profile(NicConfig& config, const std::string& profile,
                   const std::function<bool(const std::string& key)>& written) {
  config.profile = profile;
  const std::vector<ProfileNumber>& numbers = nic_profile(profile);
  visit_numbers(config, [&](const std::string& key, auto& member) {
    const ProfileNumber* number = find(numbers, key);
    if (number == nullptr || written(key)) return;
    member = static_cast<std::decay_t<decltype(member)>>(number->value);
  });
}

std::vector<UsedNumber> used_numbers(const NicConfig& config) {
  std::vector<UsedNumber> used;
  const std::vector<ProfileNumber>& numbers = nic_profile(config.profile);
  visit_numbers(config, [&](const std::string& key, const auto& member) {
    const ProfileNumber* number = find(numbers, key);
    if (number != nullptr) used.push_back({*number, static_cast<std::uint64_t>(member)});
  });
  return used;
}

}  // namespace railyard::nic
