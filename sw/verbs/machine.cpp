#include "sw/verbs/machine.h"

#include <algorithm>
#include <cstdio>

#include "sw/verbs/objects.h"

namespace railyard::verbs {

namespace {

/// fe80::/64 and an EUI-64 that was made of a MAC address (RFC 4291, appendix A).
bool link_local(const Gid& gid, Mac& mac) {
  constexpr std::array<std::uint8_t, 8> kPrefix{0xFE, 0x80};
  if (!std::equal(kPrefix.begin(), kPrefix.end(), gid.begin())) return false;
  if (gid[11] != 0xFF || gid[12] != 0xFE) return false;
  mac = {static_cast<std::uint8_t>(gid[8] ^ 2U), gid[9], gid[10], gid[13], gid[14], gid[15]};
  return true;
}

}  // namespace

DeviceObject::DeviceObject(Machine& owner, const driver::DevicePlace& place)
    : ibv_device{}, machine(owner), driver(owner.core(), owner.memory(), place) {
  node_type = IBV_NODE_CA;
  transport_type = IBV_TRANSPORT_IB;
  (void)std::snprintf(ibv_device::name, sizeof ibv_device::name, "%s", place.name.c_str());
  (void)std::snprintf(dev_name, sizeof dev_name, "uverbs%zu", owner.devices().size());
}

Machine::Machine(Core& core, AddressSpace& memory, const std::vector<driver::DevicePlace>& places,
                 const VerbsConfig& config)
    : core_(core), memory_(memory), config_(config), scope_(*this) {
  for (const driver::DevicePlace& place : places) {
    devices_.push_back(std::make_unique<DeviceObject>(*this, place));
    devices_.back()->driver.bring_up(config.completion_vectors);
  }
}

Machine::~Machine() = default;

driver::Device& Machine::driver(unsigned device) { return devices_.at(device)->driver; }

bool Machine::find_neighbour(const Gid& gid, Mac& mac) const {
  return link_local(gid, mac) || (neighbours_ && neighbours_(gid, mac));
}

Machine* Machine::current() {
  const ProgramContext* program = current_program();
  return program == nullptr ? nullptr : program->find<Machine>();
}

namespace {

/// The latest first, until one is refused: then the device is beyond help.
template <class T, class Destroy>
void destroy_each(const std::vector<std::unique_ptr<T>>& all, const Destroy& destroy) {
  while (!all.empty() && destroy(all.back().get()) == 0) {
  }
}

/// Who uses before who is used.
void destroy_all(const Context& context) {
  destroy_each(context.qps, ibv_destroy_qp);
  destroy_each(context.cqs, [](Cq* cq) {
    cq->comp_events_completed = cq->events_taken;
    return ibv_destroy_cq(cq);
  });
  destroy_each(context.mrs, ibv_dereg_mr);
  destroy_each(context.ahs, ibv_destroy_ah);
  destroy_each(context.pds, ibv_dealloc_pd);
  destroy_each(context.channels, ibv_destroy_comp_channel);
}

}  // namespace

void Machine::end_of_program() {
  for (const auto& device : devices_) {
    for (const auto& context : device->contexts) destroy_all(*context);
    destroy_each(device->contexts,
                 [](Context* context) { return ibv_close_device(&context->context); });
    device->contexts.clear();
  }
}

}  // namespace railyard::verbs
