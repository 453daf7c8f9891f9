#include "hw/nic/nic_profile.h"

#include <stdexcept>

#include "hw/nic/nic_config.h"

namespace railyard::nic {

namespace {

constexpr const char* kGuess = "no publication known";
constexpr const char* kPerPacket =
    "a packet every 4 cycles: above the line's rate of 1 KiB packets";
constexpr const char* kMessageRate =
    "ib_write_bw, ConnectX at 100GbE, 1 QP, depth 128: the knee of about 7.2 M messages/s. The "
    "slowest stage that a message passes";
constexpr const char* kMessageRateGuess =
    "shorter than the interval fitted to a ConnectX at 100GbE, in proportion to the line";
constexpr const char* kLatency =
    "ib_write_lat 2 B of ConnectX-6 HDR200, 1.87 us: the sum of the stages of both sides; how it "
    "is "
    "shared among them is assumed";
constexpr const char* kAsConnectx6 = "as connectx6_200g";
constexpr const char* kSlot5 = "ConnectX-5 VPI product brief: 100GbE, PCIe Gen3 x16";
constexpr const char* kSlot6 = "ConnectX-6 VPI product brief: 200GbE, PCIe Gen4 x16";
constexpr const char* kSlot7 = "ConnectX-7 product brief: 400GbE, PCIe Gen5 x16";
constexpr const char* kReads =
    "payload in flight: twice the line's rate times a read of 0.7 us over PCIe";

/// What the profiles do not have alike.
struct Differences {
  const char* slot;
  std::uint64_t rate;
  std::uint64_t generation;
  ProfileNumber wqe_interval;
  Origin latency_origin;
  const char* latency_source;
  std::uint64_t payload_reads;
  std::uint64_t payload_bytes;
  std::uint64_t cached_contexts;
  std::uint64_t receive_buffer;  // KiB
};

// In cycles of one nanosecond. A WRITE of an inline message passes doorbell, scheduler, context,
// wqe, packetiser and transmit, then receive, context, transport, translation and dma_write.
struct StageNumbers {
  const char* latency_key;
  std::uint64_t latency;
  const char* interval_key;
  std::uint64_t interval;
};
constexpr StageNumbers kStages[] = {
    {"stages.doorbell.latency", 60, "stages.doorbell.interval", 4},
    {"stages.scheduler.latency", 40, "stages.scheduler.interval", 4},
    {"stages.context.latency", 40, "stages.context.interval", 4},
    {"stages.wqe.latency", 100, nullptr, 0},
    {"stages.translation.latency", 50, "stages.translation.interval", 4},
    {"stages.dma_read.latency", 40, "stages.dma_read.interval", 4},
    {"stages.packetiser.latency", 100, "stages.packetiser.interval", 4},
    {"stages.transmit.latency", 120, "stages.transmit.interval", 4},
    {"stages.receive.latency", 160, "stages.receive.interval", 4},
    {"stages.transport.latency", 90, "stages.transport.interval", 4},
    {"stages.dma_write.latency", 60, "stages.dma_write.interval", 4},
    {"stages.acknowledge.latency", 40, "stages.acknowledge.interval", 4},
    {"stages.completion.latency", 60, "stages.completion.interval", 4},
    {"stages.event.latency", 100, "stages.event.interval", 10},
};

void append_stages(std::vector<ProfileNumber>& numbers, const Differences& d) {
  for (const StageNumbers& stage : kStages) {
    numbers.push_back(
        {stage.latency_key, stage.latency, "cycles", d.latency_origin, d.latency_source});
    if (stage.interval_key == nullptr) {
      numbers.push_back(d.wqe_interval);
      continue;
    }
    numbers.push_back({stage.interval_key, stage.interval, "cycles", Origin::kAssumed, kPerPacket});
  }
}

std::vector<ProfileNumber> make(const Differences& d) {
  constexpr Origin kAssumed = Origin::kAssumed;
  std::vector<ProfileNumber> numbers = {
      {"link.rate", d.rate, "Gb/s", Origin::kPublished, d.slot},
      {"pcie.generation", d.generation, "", Origin::kPublished, d.slot},
      {"pcie.lanes", 16, "lanes", Origin::kPublished, d.slot},
      {"clock", static_cast<std::uint64_t>(kNanosecond), "ps", kAssumed, kGuess}};
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

const std::vector<Profile>& profiles() {
  constexpr const char* kInterval = "stages.wqe.interval";
  static const std::vector<Profile> kProfiles = {
      {"custom", {}},
      {"connectx5_100g", make({kSlot5,
                               100,
                               3,
                               {kInterval, 139, "cycles", Origin::kFitted, kMessageRate},
                               Origin::kAssumed,
                               kAsConnectx6,
                               64,
                               65'536,
                               1024,
                               512})},
      {"connectx6_200g", make({kSlot6,
                               200,
                               4,
                               {kInterval, 70, "cycles", Origin::kAssumed, kMessageRateGuess},
                               Origin::kFitted,
                               kLatency,
                               64,
                               65'536,
                               1024,
                               512})},
      {"connectx7_400g", make({kSlot7,
                               400,
                               5,
                               {kInterval, 35, "cycles", Origin::kAssumed, kMessageRateGuess},
                               Origin::kAssumed,
                               kAsConnectx6,
                               64,
                               131'072,
                               1024,
                               1024})}};
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
  visit_stages(config.stages, visit);
  visit_cache("qp_cache", config.qp_cache, visit);
  visit_cache("key_cache", config.key_cache, visit);
  visit_cache("translation_cache", config.translation_cache, visit);
  visit("dma.payload_reads", config.dma.payload_reads);
  visit("dma.payload_bytes", config.dma.payload_bytes);
  visit("dma.control_reads", config.dma.control_reads);
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
  slot.generation = static_cast<unsigned>(find(numbers, "pcie.generation")->value);
  slot.lanes = static_cast<unsigned>(find(numbers, "pcie.lanes")->value);
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
