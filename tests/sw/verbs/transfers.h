// Messages between two hosts with NICs, posted through verbs, and all that can be seen of them:
// every byte at both ends and beside, every field of every completion.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/common/rdma/rdma_host.h"
#include "tlm/sim/simulation.h"

namespace railyard::verbs::test {

struct Transfer {
  ibv_wr_opcode opcode = IBV_WR_SEND;
  std::uint32_t bytes = 0;
  unsigned pieces = 1;             // of the poster's memory; of a SEND's receiver too; 0: no list
  std::uint32_t poster_at = 0;     // offset in a page
  std::uint32_t responder_at = 0;  // likewise
  bool is_inline = false;

  bool is_read() const { return opcode == IBV_WR_RDMA_READ; }
  bool is_send() const { return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM; }
  bool has_immediate() const {
    return opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
  }
  /// The responder's receive queue gives something for it, and its completion queue tells of it.
  bool is_received() const { return is_send() || has_immediate(); }
  std::string text() const;
};

struct TransfersConfig {
  std::uint32_t path_mtu = 1024;
  rdma::PcieWay pcie = rdma::PcieWay::kModelled;
  DataMode data = DataMode::kCarried;
  IpVersion ip = IpVersion::k4;
  std::size_t at_once = 1;  // posted as one list
};

/// Every opcode with sizes around the path MTU, inline or not, in one piece or several, from and to
/// odd addresses.
std::vector<Transfer> all_transfers(std::uint32_t path_mtu);

/// One run. What is wrong is said in failures().
class Transfers {
 public:
  Transfers(const TransfersConfig& config, std::vector<Transfer> transfers);
  ~Transfers();

  Simulation& simulation() { return simulation_; }
  void run();
  const std::vector<std::string>& failures() const { return failures_; }
  /// Of transfer n, as the poster named it.
  std::uint64_t remote_address(std::size_t n) const { return remote_addresses_[n]; }
  std::uint32_t rkey() const { return sides_[1].rkey; }
  std::uint32_t qp_number(unsigned side) const { return sides_[side].qp_number; }

  static constexpr std::uint32_t kInline = 220;                                    // the largest
  static constexpr std::array<std::uint32_t, 2> kFirstPsn = {0xFFFFF0, 0x000777};  // one wraps
  static std::uint32_t immediate(std::size_t n) {
    return 0x8100'0203U + (static_cast<std::uint32_t>(n) << 8);
  }

 private:
  friend class TransferEnd;
  struct Side {
    unsigned number = 0;
    ibv_gid gid{};
    std::uint32_t qp_number = 0;
    std::uint32_t rkey = 0;
    std::uint64_t memory = 0;
    std::uint64_t steps = 0;
    bool finished = false;
  };

  void program(unsigned side, Core& core);
  bool find_mac(const Gid& gid, Mac& mac) const;

  TransfersConfig config_;
  std::vector<Transfer> transfers_;
  Simulation simulation_{{}};
  LinkConfig link_;
  Blocks blocks_;
  std::vector<nic::NicAddress> addresses_;
  std::vector<std::unique_ptr<rdma::RdmaHost>> hosts_;
  std::array<Side, 2> sides_;
  std::vector<std::uint64_t> remote_addresses_;
  std::vector<std::string> failures_;
};

}  // namespace railyard::verbs::test
