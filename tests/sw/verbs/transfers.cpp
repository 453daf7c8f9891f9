#include "tests/sw/verbs/transfers.h"

#include <utility>

#include "tests/sw/verbs/transfer_end.h"

namespace railyard::verbs::test {

namespace {

const char* name_of(ibv_wr_opcode opcode) {
  switch (opcode) {
    case IBV_WR_SEND:
      return "SEND";
    case IBV_WR_SEND_WITH_IMM:
      return "SEND_WITH_IMM";
    case IBV_WR_RDMA_WRITE:
      return "WRITE";
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      return "WRITE_WITH_IMM";
    default:
      return "READ";
  }
}

}  // namespace

std::string Transfer::text() const {
  std::string text = std::string(name_of(opcode)) + " of " + std::to_string(bytes) + " B in " +
                     std::to_string(pieces) + " pieces from " + std::to_string(poster_at) + " to " +
                     std::to_string(responder_at);
  return is_inline ? text + ", inline" : text;
}

std::vector<Transfer> all_transfers(std::uint32_t path_mtu) {
  std::vector<Transfer> all;
  for (const ibv_wr_opcode opcode : {IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
                                     IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ}) {
    for (const std::uint32_t bytes :
         {0U, 1U, 255U, 256U, path_mtu - 1, path_mtu, path_mtu + 1, 3 * path_mtu + 5, 1U << 20}) {
      all.push_back({opcode, bytes, bytes == 0 ? 0U : 1U, 0, 0, false});
      all.push_back({opcode, bytes, 1, 4093, 1, false});
      if (bytes > 1) all.push_back({opcode, bytes, 3, 5, 2047, false});
    }
    if (opcode == IBV_WR_RDMA_READ) continue;
    for (const std::uint32_t bytes : {0U, 1U, 43U, 44U, Transfers::kInline}) {
      all.push_back({opcode, bytes, 1, 1, 3, true});
      if (bytes > 3) all.push_back({opcode, bytes, 4, 0, 4091, true});
    }
  }
  return all;
}

Transfers::Transfers(const TransfersConfig& config, std::vector<Transfer> transfers)
    : config_(config), transfers_(std::move(transfers)), remote_addresses_(transfers_.size()) {
  rdma::RdmaHostConfig host;
  host.pcie = config.pcie;
  host.data = config.data;
  for (unsigned i = 0; i < 2; ++i) {
    sides_[i].number = i;
    addresses_.push_back(rdma::nic_address(i, config.ip));
    const std::string peer = "h" + std::to_string(1 - i) + ".nic0";
    const HostPort port{0, i, simulation_.partition(), link_, peer};
    const std::string name = "h" + std::to_string(i);
    hosts_.push_back(std::make_unique<rdma::RdmaHost>(name.c_str(), host, port, addresses_.back(),
                                                      blocks_, true));
    hosts_.back()->set_program(
        [this, i](Core& core, AddressSpace& /*memory*/) { program(i, core); },
        [this](const Gid& gid, Mac& mac) { return find_mac(gid, mac); });
  }
  LinkEnd::connect(hosts_[0]->link(0), hosts_[1]->link(0));
}

Transfers::~Transfers() = default;

void Transfers::program(unsigned side, Core& core) {
  TransferEnd(*this, side, core).run();
  sides_[side].finished = true;
}

void Transfers::run() {
  simulation_.seal();
  if (simulation_.run(kSecond) != RunEnd::kDrained) failures_.emplace_back("the run does not end");
  for (const Side& side : sides_) {
    if (!side.finished)
      failures_.push_back("side " + std::to_string(side.number) + " has not ended");
  }
}

bool Transfers::find_mac(const Gid& gid, Mac& mac) const {
  for (const nic::NicAddress& address : addresses_) {
    if (address.gid != gid) continue;
    mac = address.mac.bytes;
    return true;
  }
  return false;
}

}  // namespace railyard::verbs::test
