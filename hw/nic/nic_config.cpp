#include "hw/nic/nic_config.h"

#include <utility>

#include "hw/nic/nic_abi.h"
#include "hw/nic/nic_profile.h"

namespace railyard::nic {

namespace {

constexpr std::uint32_t kMostCycles = 100'000;
constexpr std::uint32_t kLargestPathMtu = 4096;
constexpr std::uint32_t kRoceHeaders = 96;  // what a path MTU must leave of an interface's

void check_cache(const Bound& bound, const std::string& key, const CacheConfig& cache) {
  if (cache.ways <= cache.entries && cache.entries % cache.ways == 0) return;
  bound.fail(key + ".ways",
             std::to_string(cache.entries) + " entries are no sets of " +
                 std::to_string(cache.ways) + " ways",
             "write a divisor of entries");
}

void check_receive(const Bound& bound, const ReceiveConfig& receive) {
  if (!receive.pfc) return;
  if (receive.xon > receive.xoff) {
    bound.fail(
        "receive.xon",
        "XON at " + format_bytes(receive.xon) + " lies above XOFF at " + format_bytes(receive.xoff),
        "write an xon of at most xoff");
  }
  if (receive.xoff >= receive.buffer) {
    bound.fail("receive.xoff",
               "XOFF at " + format_bytes(receive.xoff) + " is not below the buffer of " +
                   format_bytes(receive.buffer),
               "write less, or pfc: false");
  }
}

void check(const NicConfig& config, const Bound& bound) {
  check_cache(bound, "qp_cache", config.qp_cache);
  check_cache(bound, "key_cache", config.key_cache);
  check_cache(bound, "translation_cache", config.translation_cache);
  check_receive(bound, config.receive);
  if (config.send.wqe_fetch > config.send.wqe_prefetch) {
    bound.fail("send.wqe_fetch",
               "a read of " + std::to_string(config.send.wqe_fetch) +
                   " basic blocks is more than the " + std::to_string(config.send.wqe_prefetch) +
                   " that are read ahead",
               "write at most wqe_prefetch");
  }
}

}  // namespace

void StageConfig::declare(Parameters& p) {
  p.add("latency", latency).max(kMostCycles).doc("Cycles from its input to its output");
  p.add("interval", interval).range(1, kMostCycles).doc("Cycles from one input to the next");
}

void StagesConfig::declare(Parameters& p) {
  p.group("doorbell", doorbell).doc("Takes a doorbell or BlueField write from the registers");
  p.group("scheduler", scheduler).doc("Chooses a queue pair");
  p.group("context", context).doc("Finds a QP context in its cache");
  p.group("wqe", wqe).doc("Parses a WQE");
  p.group("translation", translation).doc("Checks a key and translates a page");
  p.group("dma_read", dma_read).doc("Makes a read request of payload");
  p.group("packetiser", packetiser).doc("Puts headers before a payload and the ICRC behind it");
  p.group("transmit", transmit).doc("The MAC towards the line");
  p.group("receive", receive).doc("MAC and parser, from the line");
  p.group("transport", transport).doc("Checks PSNs and takes acknowledgements");
  p.group("dma_write", dma_write).doc("Makes a write of payload");
  p.group("acknowledge", acknowledge).doc("Makes an ACK or NAK");
  p.group("completion", completion).doc("Makes a CQE");
  p.group("event", event).doc("Makes an EQE and raises an interrupt");
}

void CacheConfig::declare(Parameters& p) {
  p.add("entries", entries).range(1, 1U << 20).doc("Lines that it holds");
  p.add("ways", ways).range(1, 1U << 20).doc("Lines of a set; a divisor of entries");
  p.add("misses", misses)
      .range(1, 1024)
      .doc("Lines that may be under way from host memory at once");
}

void DmaConfig::declare(Parameters& p) {
  p.add("payload_reads", payload_reads)
      .range(1, 4096)
      .doc("Reads of payload, each at most a path MTU, that may be outstanding");
  p.add("payload_bytes", payload_bytes)
      .range(kLargestPathMtu, 1ULL << 24)
      .doc("Bytes that these ask for together; at least a largest payload");
  p.add("control_reads", control_reads)
      .range(1, 4096)
      .doc("Reads of WQEs, contexts, keys and translations that may be outstanding");
  p.add("write_bytes", write_bytes)
      .range(kLargestPathMtu, 1ULL << 24)
      .doc("Bytes of received payload that PCIe has been given and not put on its line");
}

void SendConfig::declare(Parameters& p) {
  p.add("wqe_prefetch", wqe_prefetch)
      .range(1, 256)
      .doc("Basic blocks of a send queue that are read ahead of the WQE that is sent");
  p.add("wqe_fetch", wqe_fetch).range(1, 64).doc("Basic blocks of 64 B that one read asks for");
  p.add("fetch_latency", fetch_latency)
      .max(kMostCycles)
      .doc(
          "Cycles from an idle queue pair's context to the read of its WQE; a WQE that came by "
          "BlueField has none");
  p.add("quantum", quantum)
      .range(256, 1U << 20)
      .doc("Bytes that a queue pair sends in its turn; a packet that has begun is sent whole");
  p.list("weights", weights)
      .size(1, 8)
      .range(1, 255)
      .doc(
          "Shares of the traffic classes, by priority from 0 (deficit round robin); priorities "
          "beyond the last are in the last class");
  p.add("egress_buffer", egress_buffer)
      .range(2ULL * kLargestPathMtu, 1ULL << 24)
      .doc("Bytes of a priority that may wait for the line, or for their payload");
}

void ReceiveConfig::declare(Parameters& p) {
  p.add("buffer", buffer)
      .range(9216, 1ULL << 30)
      .doc(
          "Bytes of packets that wait to be written; one that does not fit is dropped and counted");
  p.add("pfc", pfc).doc("Pauses the peer's priority before the buffer is full");
  p.add("xoff", xoff).min(64).doc("Bytes of a priority in the buffer above which XOFF is sent");
  p.add("xon", xon).doc("Bytes at or below which XON is sent");
  p.add("quanta", quanta)
      .min(2)
      .doc("Pause time of an XOFF in quanta of 512 bit times; refreshed after half of it");
  p.add("response_quanta", response_quanta)
      .max(100'000)
      .doc("Quanta of 512 bit times from a pause's arrival to its effect; 0: obeys at once");
  p.add("wqe_prefetch", wqe_prefetch)
      .range(1, 256)
      .doc("Receive WQEs of a queue pair that are read ahead");
  p.add("ack_every", ack_every)
      .max(65'536)
      .doc("Request packets of a message after which an ACK goes at the latest; 0: at its end");
}

void LimitsConfig::declare(Parameters& p) {
  constexpr std::uint32_t kMostNumbers = 1U << 17;
  constexpr std::uint32_t kMostKeys = 1U << 24;  // their index has 24 bits
  constexpr auto kMostVectors = static_cast<std::uint32_t>(abi::kMsixPendingOffset / 16);
  p.add("qps", qps).range(2, kMostNumbers).doc("Queue pairs");
  p.add("cqs", cqs).range(1, kMostNumbers).doc("Completion queues");
  p.add("eqs", eqs).range(2, 256).doc("Event queues; number 0 is the device's own");
  p.add("mkeys", mkeys).range(1, kMostKeys).doc("Memory keys");
  p.add("translation_entries", translation_entries)
      .range(8, 1U << 28)
      .doc("Pages of all memory keys; a multiple of 8");
  p.add("pds", pds).range(1, kMostNumbers).doc("Protection domains");
  p.add("log_wqes", log_wqes)
      .range(1, 15)
      .doc("log2 of the entries of a work queue; its counters have 16 bits");
  p.add("log_cqes", log_cqes).range(1, 22).doc("log2 of the entries of a completion queue");
  p.add("sge", sge).range(1, 60).doc("Data segments of a WQE");
  p.add("reads", reads)
      .range(1, 128)
      .doc("READs and atomics outstanding of a queue pair, each way");
  p.add("vectors", vectors).range(1, kMostVectors).doc("MSI-X vectors");
  p.check([this](const Bound& bound) {
    if (translation_entries % 8 == 0) return;
    bound.fail("translation_entries",
               std::to_string(translation_entries) + " is no multiple of the 8 entries of a line",
               "write " + std::to_string(translation_entries / 8 * 8 + 8));
  });
}

void NicConfig::declare(Parameters& p) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::string& name : nic_profile_names()) names.emplace_back(name, name);
  p.choice("profile", profile, std::move(names))
      .doc(
          "Class of NIC whose numbers the keys that are not written have; custom: the defaults "
          "that "
          "stand here. It sets the link's rate, and generation and width of PCIe, too");
  p.add("clock", clock)
      .range(100, kMicrosecond)
      .doc("Period of the clock that the stages' cycles and PFC's decisions keep to");
  p.add("datapath", datapath)
      .max(4096)
      .doc(
          "Bytes of a packet's payload that the stages packetiser and dma_write move in a cycle, "
          "each storing the packet; 0: all at once");
  p.group("stages", stages).doc("Stages of the pipeline, in cycles of the clock");
  p.group("qp_cache", qp_cache).doc("Cache of QP contexts");
  p.group("key_cache", key_cache).doc("Cache of memory keys");
  p.group("translation_cache", translation_cache).doc("Cache of translations, in lines of 8 pages");
  p.group("dma", dma).doc("Reads over PCIe");
  p.group("send", send).doc("Sending side");
  p.group("receive", receive).doc("Receiving side");
  p.group("cnp", cnp).doc("How it answers packets that switches marked");
  p.group("limits", limits).doc("Most of each object");
  p.add("command", command).range(0, kMillisecond).doc("What the firmware takes for a command");
  p.add("ack_delay", ack_delay)
      .range(0, kMillisecond)
      .doc("An ACK waits so long for others that it can cover; 0s: it goes at once");
  p.add("interface_mtu", interface_mtu)
      .range(256 + kRoceHeaders, 9216)
      .doc("MTU of the interface: a path MTU may be the largest that leaves 96 B of it");
  p.group("function", function).doc("The PCIe function");
  p.check([this](const Bound& bound) {
    apply_profile(*this, profile, [&](const std::string& key) { return bound.has(key); });
    check(*this, bound);
  });
}

}  // namespace railyard::nic
