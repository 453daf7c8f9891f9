#include "tests/bench/nic_cases.h"

#include <cstdint>
#include <string>
#include <utility>

#include <systemc>

#include "hw/nic/nic.h"
#include "platforms/common/yaml_reader.h"
#include "platforms/rdma_perf/rdma_perf_fabric.h"
#include "tlm/sim/simulation.h"

namespace railyard::bench {

namespace {

/// perftest between two hosts behind one switch, 400G, Gen5 x16, one queue pair, elided. The hosts'
/// root ports take payloads of 512 B, as those of AMD EPYC and of Intel's fourth generation of Xeon
/// do, and read requests are of 4 KiB, as tuning guides of NICs set them. `more` are further keys:
/// each ends with a comma.
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

/// Bytes, not time.
Sample idle_queue_pair() {
  Sample sample;
  sample.operations = 1;
  sample.bytes = nic::Nic::bytes_a_queue_pair();
  return sample;
}

}  // namespace

std::vector<Case> nic_cases() {
  constexpr double kPacket = 60;  // raw kernel events of time
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
      {"nic.qp_bytes",
       "queue pair",
       "Bytes that a NIC keeps for an idle queue pair",
       kIdle,
       {},
       [] { return idle_queue_pair(); }},
  };
}

}  // namespace railyard::bench
