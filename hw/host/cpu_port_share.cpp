#include "hw/host/cpu_port_share.h"

#include <algorithm>

#include "tlm/observe/checker.h"

namespace railyard::host {

CpuPortShare::CpuPortShare(const std::string& name, Partition& partition, pcie::CpuPort& port)
    : name_(name), partition_(partition), port_(port) {
  port.set_listener(*this);
}

bool CpuPortShare::waits(const CpuPortClient& client) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i] == &client) return true;
  }
  return false;
}

bool CpuPortShare::write(CpuPortClient& client, Address address, const std::uint8_t* data,
                         std::uint32_t bytes) {
  const bool others_first = !waiting_.empty() && waiting_.front() != &client;
  if (others_first || !port_.cpu_write(address, data, bytes)) {
    if (!waits(client)) waiting_.push(&client);
    return false;
  }
  if (!waiting_.empty()) {
    waiting_.pop();
    if (!waiting_.empty()) waiting_.front()->port_room();
  }
  return true;
}

void CpuPortShare::cpu_read_done(std::uint64_t ticket, pcie::Status status, std::uint64_t value) {
  const auto mine = std::find_if(open_.begin(), open_.end(),
                                 [ticket](const Open& one) { return one.ticket == ticket; });
  if (mine == open_.end()) {
    break_invariant(name_, partition_.now(),
                    "ticket " + std::to_string(ticket) + " of no core's read is answered");
  }
  CpuPortClient* client = mine->client;
  open_.erase(mine);
  client->port_answer(status, value);
}

void CpuPortShare::cpu_room() {
  if (!waiting_.empty()) waiting_.front()->port_room();
}

}  // namespace railyard::host
