#include "tests/bench/nic_cases.h"

#include <malloc.h>

#include <cstdint>
#include <string>
#include <utility>

#include <systemc>

#include "hw/nic/nic.h"
#include "platforms/common/rdma/nic_fabric.h"
#include "platforms/common/yaml_reader.h"
#include "platforms/rdma_perf/rdma_perf_fabric.h"
#include "tlm/sim/simulation.h"

namespace railyard::bench {

namespace {

/// perftest between two hosts behind one switch, 400G, Gen5 x16, one queue pair, elided. Payloads
/// on PCIe are of 512 B, read requests of 4 KiB (assumed: a host of AMD EPYC's class, tuned for its
/// NIC). `more` are further keys: each ends with a comma.
std::string perftest(const std::string& more) {
  return "{data: elided, measure: bandwidth, " + more +
         " nic: {profile: connectx7_400g, path_mtu: 4096, function: {max_payload: 512}}, host: "
         "{root: {max_payload: 512}, enumeration: {max_read_request: 4KiB}}, topology: {kind: "
         "star, hosts: 2}, "
         "link: {length: 3m}}";
}

/// All of a run: what comes before and after the messages is a small part of it.
Sample run(const std::string& text, std::uint64_t operations) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  rdma_perf::RdmaPerfConfig config;
  bind_config(read_yaml_text(text, "bench"), config);
  Simulation simulation{{}};
  const rdma_perf::RdmaPerfFabric fabric(config, simulation, false);
  simulation.seal();
  Sample sample;
  sample.seconds = seconds_of([&] { simulation.run(kForever / 2); });
  sample.operations = operations;
  sample.kernel_events = simulation.kernel_events();
  return sample;
}

/// Messages of 64 KiB: 16 packets each.
Sample bulk(const std::string& test, const std::string& pcie) {
  constexpr std::uint64_t kMessages = 2000;
  constexpr std::uint64_t kPackets = 16;
  return run(perftest("test: " + test + ", pcie: " + pcie +
                      ", sizes: [64KiB], iterations: " + std::to_string(kMessages) + ","),
             kMessages * kPackets);
}

/// Messages of 64 B that stand in their WQEs, 16 a doorbell.
Sample small() {
  constexpr std::uint64_t kMessages = 50'000;
  return run(perftest("test: write, sizes: [64B], inline: 64, post_list: 16, iterations: " +
                      std::to_string(kMessages) + ","),
             kMessages);
}

/// DCQCN between eight NICs and a ninth, messages of 64 KiB in packets of 1,024 B. An operation is
/// a data packet over a link; what acknowledgements, CNPs, software and PCIe take is in it.
Sample incast(const char* engine) {
  constexpr std::uint64_t kSenders = 8;
  constexpr std::uint64_t kMessages = 100;
  constexpr std::uint64_t kPackets = 64;
  constexpr std::uint64_t kLinks = 2;
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  const std::string text =
      std::string(
          "{source: nic, data: elided, pcie: ideal, link: {rate: 100Gbps, length: 5m}, "
          "topology: {kind: star, hosts: 9}, switch: {buffer: 8MiB, ecn: {kmin: 150KB, "
          "kmax: 1430KB, pmax: 1}}, nic: {path_mtu: 1024}, congestion: {algorithm: dcqcn, "
          "parameters: tuned, engine: ") +
      engine + "}, traffic: {pattern: incast, senders: 8, message_size: 64KiB, messages: " +
      std::to_string(kMessages) + "}}";
  rdma::NicFabricConfig config;
  bind_config(read_yaml_text(text, "bench"), config);
  Simulation simulation{{}};
  const rdma::NicFabric fabric(config, simulation, false);
  simulation.seal();
  Sample sample;
  sample.seconds = seconds_of([&] { simulation.run(kForever / 2); });
  sample.operations = kSenders * kMessages * kPackets * kLinks;
  sample.kernel_events = simulation.kernel_events();
  return sample;
}

/// What two hosts and their NICs hold that may have so many queue pairs, and have none.
Sample heap_of(std::uint64_t qps) {
  rdma_perf::RdmaPerfConfig config;
  bind_config(
      read_yaml_text("{data: elided, nic: {limits: {qps: " + std::to_string(qps) + "}}}", "bench"),
      config);
  Simulation simulation{{}};
  const rdma_perf::RdmaPerfFabric fabric(config, simulation, false);
  const struct mallinfo2 heap = mallinfo2();
  Sample sample;
  sample.operations = 1;
  sample.bytes = heap.uordblks + heap.hblkhd;
  return sample;
}

/// Bytes, not time: its share of tables that are as large as there may be queue pairs, and its own.
Sample idle_queue_pair() {
  constexpr std::uint64_t kFew = 1024;
  constexpr std::uint64_t kMany = 16'384;
  constexpr std::uint64_t kNics = 2;
  const Sample few = in_child([] { return heap_of(kFew); });
  Sample sample = in_child([] { return heap_of(kMany); });
  sample.bytes =
      (sample.bytes - few.bytes) / (kNics * (kMany - kFew)) + nic::Nic::bytes_a_queue_pair();
  return sample;
}

}  // namespace

std::vector<Case> nic_cases() {
  constexpr double kPacket = 60;  // raw kernel events of time
  constexpr double kDataHop = 8;
  constexpr double kIdle = 2048;  // bytes
  return {
      {"nic.write_4k",
       "packet",
       "4 KiB of a WRITE of 64 KiB, memory to memory over PCIe, two wires, a switch",
       kPacket,
       {},
       [] { return bulk("write", "modelled"); }},
      {"nic.write_4k_ideal",
       "packet",
       "The same, PCIe without packets",
       {},
       {},
       [] { return bulk("write", "ideal"); }},
      {"nic.read_4k",
       "packet",
       "4 KiB of a READ of 64 KiB, likewise",
       {},
       {},
       [] { return bulk("read", "modelled"); }},
      {"nic.message_64",
       "message",
       "A WRITE of 64 B that stands in its WQE, 16 a doorbell",
       {},
       {},
       [] { return small(); }},
      {"nic.incast_1k",
       "data-hop",
       "8:1 incast of 1,024 B packets, NICs, ideal PCIe, DCQCN, ACKs and CNPs",
       kDataHop,
       {},
       [] { return incast("model"); }},
      {"nic.incast_1k_rtl",
       "data-hop",
       "The same, the blocks of congestion control in RTL",
       {},
       Relative{"nic.incast_1k", 1.5},
       [] { return incast("rtl"); }},
      {"nic.qp_bytes",
       "queue pair",
       "Bytes that a NIC keeps for an idle queue pair",
       kIdle,
       {},
       [] { return idle_queue_pair(); }},
  };
}

}  // namespace railyard::bench
