// One root complex's port for all cores of a host: each gets its own answers, and room for posted
// writes goes to who has waited longest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/pcie/cpu_port.h"
#include "tlm/base/ring.h"
#include "tlm/core/core.h"
#include "tlm/sim/partition.h"

namespace railyard::host {

/// A core, as the port's share calls it back: on time.
class CpuPortClient {
 public:
  virtual ~CpuPortClient() = default;
  /// Its read, or its configuration access, is answered.
  virtual void port_answer(pcie::Status status, std::uint64_t value) = 0;
  /// It may try its refused write again.
  virtual void port_room() = 0;
};

class CpuPortShare : private pcie::CpuListener {
 public:
  /// `name` is that of the root complex: whom cores wait for.
  CpuPortShare(const std::string& name, Partition& partition, pcie::CpuPort& port);

  const std::string& name() const { return name_; }
  bool is_device(Address address) const { return port_.is_device(address); }

  /// As CpuPort's. False: the client is told when it may try again, and must.
  bool write(CpuPortClient& client, Address address, const std::uint8_t* data, std::uint32_t bytes);
  void read(CpuPortClient& client, Address address, std::uint32_t bytes) {
    port_.cpu_read(address, bytes, open(client));
  }
  void config_read(CpuPortClient& client, pcie::DeviceId id, unsigned register_offset) {
    port_.config_read(id, register_offset, open(client));
  }
  void config_write(CpuPortClient& client, pcie::DeviceId id, unsigned register_offset,
                    std::uint32_t value) {
    port_.config_write(id, register_offset, value, open(client));
  }

 private:
  struct Open {
    std::uint64_t ticket;
    CpuPortClient* client;
  };

  std::uint64_t open(CpuPortClient& client) {
    open_.push_back({next_ticket_, &client});
    return next_ticket_++;
  }
  bool waits(const CpuPortClient& client);
  void cpu_read_done(std::uint64_t ticket, pcie::Status status, std::uint64_t value) override;
  void cpu_room() override;

  std::string name_;
  Partition& partition_;
  pcie::CpuPort& port_;
  std::vector<Open> open_;  // one a core at most
  Ring<CpuPortClient*> waiting_;
  std::uint64_t next_ticket_ = 0;
};

}  // namespace railyard::host
