// A capture of every opcode between two hosts, and what was posted: transfer_capture FILE.pcapng
// PATH_MTU IP_VERSION carried|elided. A line a message on stdout: operation, bytes, immediate,
// remote address, rkey, inline or not; before them the numbers and first PSNs of both queue pairs.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <systemc>

#include "tests/sw/verbs/transfers.h"
#include "waveforms/capture_file.h"

namespace railyard::verbs::test {
namespace {

int capture(const std::string& path, const TransfersConfig& config) {
  std::vector<Transfer> all;
  constexpr std::uint32_t kLargest = 64U << 10;
  for (const Transfer& t : all_transfers(config.path_mtu)) {
    if (t.bytes <= kLargest) all.push_back(t);
  }
  Transfers transfers(config, all);
  Simulation& simulation = transfers.simulation();
  CaptureFile file(path, [&simulation] { return simulation.now(); });
  file.connect(simulation.partition().probes());
  transfers.run();
  file.close(simulation.now());
  for (const std::string& failure : transfers.failures()) {
    std::fprintf(stderr, "%s\n", failure.c_str());
  }
  for (unsigned side = 0; side < 2; ++side) {
    std::printf("%u %u\n", transfers.qp_number(side), Transfers::kFirstPsn[side]);
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Transfer& t = all[n];
    const unsigned immediate = t.has_immediate() ? __builtin_bswap32(Transfers::immediate(n)) : 0;
    std::printf("%s %u %u %llu %u %d\n", t.text().substr(0, t.text().find(' ')).c_str(), t.bytes,
                immediate, static_cast<unsigned long long>(transfers.remote_address(n)),
                transfers.rkey(), t.is_inline ? 1 : 0);
  }
  return transfers.failures().empty() ? 0 : 1;
}

}  // namespace
}  // namespace railyard::verbs::test

int sc_main(int argc, char** argv) {
  using railyard::DataMode;
  using railyard::IpVersion;
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  if (argc != 5) return 2;
  railyard::verbs::test::TransfersConfig config;
  config.path_mtu = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  config.ip = argv[3] == std::string("6") ? IpVersion::k6 : IpVersion::k4;
  config.data = argv[4] == std::string("elided") ? DataMode::kElided : DataMode::kCarried;
  return railyard::verbs::test::capture(argv[1], config);
}
