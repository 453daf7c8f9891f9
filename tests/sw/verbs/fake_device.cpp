#include "tests/sw/verbs/fake_device.h"

#include <array>

namespace railyard::support {

namespace {
FakeDevice* latest = nullptr;
}

FakeDevice& FakeDevice::latest() { return *support::latest; }

}  // namespace railyard::support

namespace railyard::driver {

struct Device::State : support::FakeDevice {
  State(Core& c, AddressSpace& m, const DevicePlace& p) : FakeDevice(p), core(c), memory(m) {
    capabilities.max_qps = 64;
    capabilities.max_cqs = 64;
    capabilities.max_mkeys = 64;
    capabilities.max_pds = 64;
    capabilities.max_log_wqes = 10;
    capabilities.max_log_cqes = 12;
    capabilities.max_sge = 30;
    capabilities.max_reads = 16;
    capabilities.max_message = 1U << 31;
    capabilities.max_inline = abi::kMaxInline;
    port.up = 1;
    port.interface_mtu = 4200;
    port.rate_mbps = 400'000;
    const std::array<abi::Byte, 6> mac{2, 0, 0, 0, 0, 7};
    const std::array<abi::Byte, 16> gid{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 7};
    std::copy(mac.begin(), mac.end(), port.mac);
    std::copy(gid.begin(), gid.end(), port.gid);
  }
  void command(const std::string& what) {
    if (refuse != abi::CommandStatus::kOk) throw DeviceError(what, refuse, 0);
    log.push_back(what);
    core.spend(kMicrosecond);
  }
  Core& core;
  AddressSpace& memory;
};

Device::Device(Core& core, AddressSpace& memory, const DevicePlace& place)
    : state_(std::make_unique<State>(core, memory, place)) {
  support::latest = state_.get();
}
Device::~Device() = default;

void Device::bring_up(unsigned completion_vectors) { state_->vectors = completion_vectors; }
void Device::take_down() {}
const DevicePlace& Device::place() const { return state_->place; }
const abi::CapabilitiesOutput& Device::capabilities() const { return state_->capabilities; }
Core& Device::core() { return state_->core; }
AddressSpace& Device::memory() { return state_->memory; }
abi::QueryPortOutput Device::query_port() {
  state_->command("query_port");
  return state_->port;
}

std::uint32_t Device::alloc_pd() {
  state_->command("alloc_pd");
  return state_->next_number++;
}
void Device::dealloc_pd(std::uint32_t /*pd*/) { state_->command("dealloc_pd"); }
std::uint32_t Device::alloc_uar() {
  state_->command("alloc_uar");
  return 1;
}
void Device::dealloc_uar(std::uint32_t /*uar*/) { state_->command("dealloc_uar"); }
Address Device::uar_address(std::uint32_t uar) const {
  return state_->place.registers + abi::kUarBase + uar * abi::kUarBytes;
}

std::uint32_t Device::create_mkey(std::uint64_t address, std::uint64_t bytes, std::uint32_t pd,
                                  std::uint32_t access, unsigned /*log_page*/,
                                  const std::vector<Address>& pages) {
  state_->command("create_mkey");
  const std::uint32_t key = state_->next_number++ << 8 | 0x5A;
  state_->keys[key] = {address, bytes, pd, access, pages};
  return key;
}
void Device::destroy_mkey(std::uint32_t key) {
  state_->command("destroy_mkey");
  state_->keys.erase(key);
}

Cq Device::create_cq(unsigned log_entries, std::uint32_t eq, std::uint32_t /*uar*/) {
  state_->command("create_cq");
  Cq cq;
  cq.number = state_->next_number++;
  cq.log_entries = log_entries;
  cq.eq = eq;
  const std::uint64_t bytes = std::uint64_t{abi::kCqeBytes} << log_entries;
  cq.entries = state_->memory.allocate(bytes, 4096);
  cq.doorbell_record = state_->memory.allocate(8, 8);
  const abi::Cqe invalid;
  for (std::uint64_t i = 0; i < bytes; i += abi::kCqeBytes) {
    state_->core.write(cq.entries + i, reinterpret_cast<const std::uint8_t*>(&invalid),
                       sizeof invalid);
  }
  state_->cqs[cq.number] = cq;
  return cq;
}
void Device::modify_cq(std::uint32_t /*cq*/, Time moderation, std::uint32_t count) {
  state_->command("modify_cq " + std::to_string(moderation) + " " + std::to_string(count));
}
void Device::destroy_cq(const Cq& /*cq*/) { state_->command("destroy_cq"); }

QueuePair Device::create_qp(const QueuePairWish& wish) {
  state_->command("create_qp");
  state_->wishes.push_back(wish);
  QueuePair qp;
  qp.number = state_->next_qp++;
  qp.log_send = wish.log_send;
  qp.log_receive = wish.log_receive;
  qp.log_receive_stride = wish.log_receive_stride;
  qp.send = state_->memory.allocate(std::uint64_t{abi::kWqeBytes} << wish.log_send, 64);
  qp.receive =
      state_->memory.allocate(std::uint64_t{1} << (wish.log_receive + wish.log_receive_stride), 64);
  qp.doorbell_record = state_->memory.allocate(8, 8);
  state_->qps[qp.number] = qp;
  return qp;
}
void Device::modify_qp(abi::Command transition, abi::ModifyQpInput input) {
  state_->command("modify_qp");
  state_->transitions.emplace_back(transition, input);
}
void Device::to_error(std::uint32_t /*qp*/) { state_->command("to_error"); }
void Device::to_reset(std::uint32_t /*qp*/) { state_->command("to_reset"); }
abi::QueryQpOutput Device::query_qp(std::uint32_t /*qp*/) {
  state_->command("query_qp");
  return state_->query;
}
void Device::destroy_qp(const QueuePair& /*qp*/) { state_->command("destroy_qp"); }

Eq& Device::eq(unsigned number) {
  state_->eqs[number].number = number;
  return state_->eqs[number];
}
bool Device::next_event(Eq& eq, abi::Eqe& event) {
  auto& events = state_->events[eq.number];
  if (events.empty()) return false;
  event = events.front();
  events.pop_front();
  return true;
}
abi::Eqe Device::wait_event(Eq& eq) {
  abi::Eqe event;
  while (!next_event(eq, event)) state_->core.spend(kMicrosecond);
  return event;
}

}  // namespace railyard::driver
