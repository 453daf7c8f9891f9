// Devices, contexts, ports, protection domains, address handles, asynchronous events.
#include <cstring>

#include "sw/verbs/objects.h"
#include "tlm/net/frame.h"

// The header's macro calls query_port(); old programs call this.
#undef ibv_query_port

namespace railyard::verbs {

int errno_of(abi::CommandStatus status) {
  switch (status) {
    case abi::CommandStatus::kOk:
      return 0;
    case abi::CommandStatus::kBadParameter:
    case abi::CommandStatus::kBadResource:
    case abi::CommandStatus::kBadResourceState:
      return EINVAL;
    case abi::CommandStatus::kResourceBusy:
      return EBUSY;
    case abi::CommandStatus::kLimit:
    case abi::CommandStatus::kNoResources:
      return ENOMEM;
    default:
      return EIO;
  }
}

Context::Context(DeviceObject& of) : verbs_context{}, device(of) {
  sz = sizeof(verbs_context);
  verbs_context::query_port = verbs::query_port;
  verbs_context::modify_cq = verbs::modify_cq;
  context.device = &of;
  context.ops.post_send = verbs::post_send;
  context.ops.post_recv = verbs::post_recv;
  context.ops.poll_cq = verbs::poll_cq;
  context.ops.req_notify_cq = verbs::req_notify_cq;
  context.cmd_fd = -1;
  context.async_fd = -1;
  context.num_comp_vectors = static_cast<int>(of.machine.config().completion_vectors);
  context.abi_compat = __VERBS_ABI_IS_EXTENDED;
}

// A program that is gone takes no time any more: the device keeps its objects.
Context::~Context() {
  for (const auto& mr : mrs) device.machine.memory().unmap(mr->addr, mr->length);
  for (const auto& qp : qps) device.qps.erase(qp->qp_num);
  for (const auto& cq : cqs) device.cqs.erase(cq->handle);
}

namespace {

struct Speed {
  std::uint32_t gbps;
  std::uint8_t width;  // 1: 1x, 2: 4x
  std::uint8_t speed;  // of a lane: 32: 25 Gb/s, 64: 50, 128: 100
};

/// The narrowest port that is as fast: IBTA Vol 1 14.2.5.6.
Speed speed_of(std::uint32_t mbps) {
  constexpr std::array<Speed, 6> kSpeeds{
      {{25, 1, 32}, {50, 1, 64}, {100, 2, 32}, {200, 2, 64}, {400, 2, 128}, {800, 4, 128}}};
  for (const Speed& speed : kSpeeds) {
    if (mbps <= speed.gbps * 1000) return speed;
  }
  return kSpeeds.back();
}

ibv_port_attr port_attributes(const abi::QueryPortOutput& port, std::uint32_t max_message) {
  constexpr std::uint32_t kLinkUp = 5;  // of physical states, IBTA Vol 1 14.2.5.6
  constexpr std::uint32_t kDisabled = 3;
  const Speed speed = speed_of(port.rate_mbps);
  const bool up = port.up != 0;
  ibv_port_attr attributes{};
  attributes.state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
  attributes.max_mtu = IBV_MTU_4096;
  attributes.active_mtu = mtu_of(net::path_mtu(port.interface_mtu));
  attributes.gid_tbl_len = 1;
  attributes.port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS;
  attributes.max_msg_sz = max_message;
  attributes.pkey_tbl_len = 1;
  attributes.max_vl_num = 1;
  attributes.active_width = speed.width;
  attributes.active_speed = speed.speed;
  attributes.phys_state = static_cast<std::uint8_t>(up ? kLinkUp : kDisabled);
  attributes.link_layer = IBV_LINK_LAYER_ETHERNET;
  attributes.flags = IBV_QPF_GRH_REQUIRED;
  return attributes;
}

/// EUI-64 of the port's MAC address, in network order.
__be64 guid_of(driver::Device& driver) {
  const abi::QueryPortOutput port = driver.query_port();
  const std::array<std::uint8_t, 8> bytes{static_cast<std::uint8_t>(port.mac[0] ^ 2U),
                                          port.mac[1],
                                          port.mac[2],
                                          0xFF,
                                          0xFE,
                                          port.mac[3],
                                          port.mac[4],
                                          port.mac[5]};
  __be64 guid = 0;
  std::memcpy(&guid, bytes.data(), sizeof guid);
  return guid;
}

void set_event(const abi::Eqe& eqe, const DeviceObject& device, ibv_async_event& event) {
  constexpr abi::Byte kPortActive = 4;  // MLX5_PORT_CHANGE_SUBTYPE_ACTIVE
  const std::uint32_t number = eqe.number;
  switch (static_cast<abi::EventType>(eqe.type)) {
    case abi::EventType::kCqError:
      event.event_type = IBV_EVENT_CQ_ERR;
      event.element.cq = device.cqs.count(number) == 0 ? nullptr : device.cqs.at(number);
      return;
    case abi::EventType::kPortChange:
      event.event_type = eqe.subtype == kPortActive ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR;
      event.element.port_num = 1;
      return;
    case abi::EventType::kCommunicationEstablished:
      event.event_type = IBV_EVENT_COMM_EST;
      break;
    case abi::EventType::kQpInvalidRequest:
      event.event_type = IBV_EVENT_QP_REQ_ERR;
      break;
    case abi::EventType::kQpAccessError:
      event.event_type = IBV_EVENT_QP_ACCESS_ERR;
      break;
    default:
      event.event_type = IBV_EVENT_QP_FATAL;
      break;
  }
  event.element.qp = device.qps.count(number) == 0 ? nullptr : device.qps.at(number);
}

/// Errors that it is about an object that the program has destroyed are nobody's.
bool has_element(const ibv_async_event& event) {
  return event.event_type == IBV_EVENT_PORT_ACTIVE || event.event_type == IBV_EVENT_PORT_ERR ||
         event.element.qp != nullptr;
}

}  // namespace

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attributes,
               std::size_t bytes) {
  if (port != 1) return EINVAL;
  driver::Device& driver = object(context).driver();
  ibv_port_attr all{};
  const int error = error_of(
      [&] { all = port_attributes(driver.query_port(), driver.capabilities().max_message); });
  if (error == 0) std::memcpy(attributes, &all, std::min(bytes, sizeof all));
  return error;
}

namespace {

ibv_device_attr device_attributes(driver::Device& driver) {
  const abi::CapabilitiesOutput& has = driver.capabilities();
  const auto number = [](std::uint32_t value) { return static_cast<int>(value); };
  ibv_device_attr attributes{};
  std::strcpy(attributes.fw_ver, "1.0.0");
  attributes.node_guid = guid_of(driver);
  attributes.sys_image_guid = attributes.node_guid;
  attributes.max_mr_size = ~std::uint64_t{0};
  attributes.page_size_cap = AddressSpace::kPageBytes;
  attributes.vendor_id = abi::kVendor;
  attributes.vendor_part_id = abi::kDevice;
  attributes.max_qp = number(has.max_qps);
  attributes.max_qp_wr = number(1U << has.max_log_wqes);
  attributes.device_cap_flags = IBV_DEVICE_RC_RNR_NAK_GEN;
  attributes.max_sge = number(has.max_sge);
  attributes.max_sge_rd = number(has.max_sge);
  attributes.max_cq = number(has.max_cqs);
  attributes.max_cqe = number((1U << has.max_log_cqes) - 1);
  attributes.max_mr = number(has.max_mkeys);
  attributes.max_pd = number(has.max_pds);
  attributes.max_qp_rd_atom = number(has.max_reads);
  attributes.max_res_rd_atom = number(has.max_reads * has.max_qps);
  attributes.max_qp_init_rd_atom = number(has.max_reads);
  attributes.atomic_cap = IBV_ATOMIC_NONE;
  attributes.max_ah = 1 << 20;
  attributes.max_pkeys = 1;
  attributes.phys_port_cnt = 1;
  return attributes;
}

}  // namespace

}  // namespace railyard::verbs

namespace verbs = railyard::verbs;
using verbs::object;

ibv_device** ibv_get_device_list(int* num_devices) {
  verbs::Machine* machine = verbs::Machine::current();
  const std::size_t count = machine == nullptr ? 0 : machine->devices().size();
  // The pointers that the caller sees, and the null behind them.
  auto** list = new ibv_device*[count + 1];
  for (std::size_t i = 0; i < count; ++i) list[i] = machine->devices()[i].get();
  list[count] = nullptr;
  if (num_devices != nullptr) *num_devices = static_cast<int>(count);
  return list;
}

void ibv_free_device_list(ibv_device** list) { delete[] list; }

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

int ibv_get_device_index(ibv_device* device) {
  const auto& devices = object(device).machine.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].get() == device) return static_cast<int>(i);
  }
  return -1;
}

__be64 ibv_get_device_guid(ibv_device* device) {
  __be64 guid = 0;
  (void)verbs::error_of([&] { guid = verbs::guid_of(object(device).driver); });
  return guid;
}

ibv_context* ibv_open_device(ibv_device* device) {
  verbs::DeviceObject& of = object(device);
  auto made = std::make_unique<verbs::Context>(of);
  verbs::Context& context = *made;
  const int error = verbs::error_of([&] { context.uar = of.driver.alloc_uar(); });
  if (error == 0) of.contexts.push_back(std::move(made));
  return verbs::pointer_or_errno(error == 0 ? &context.context : nullptr, error);
}

int ibv_close_device(ibv_context* context) {
  verbs::Context& of = object(context);
  if (!of.pds.empty() || !of.cqs.empty() || !of.channels.empty()) return EBUSY;
  const int error = verbs::error_of([&] { of.driver().dealloc_uar(of.uar); });
  if (error == 0) verbs::forget(of.device.contexts, of);
  return error;
}

int ibv_query_device(ibv_context* context, ibv_device_attr* device_attr) {
  return verbs::error_of(
      [&] { *device_attr = verbs::device_attributes(object(context).driver()); });
}

int ibv_query_port(ibv_context* context, std::uint8_t port_num, _compat_ibv_port_attr* port_attr) {
  return verbs::query_port(context, port_num, reinterpret_cast<ibv_port_attr*>(port_attr),
                           offsetof(ibv_port_attr, flags));
}

int ibv_query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* gid) {
  if (port != 1 || index != 0) {
    errno = EINVAL;
    return -1;
  }
  return verbs::error_of([&] {
           std::memcpy(gid->raw, object(context).driver().query_port().gid, sizeof gid->raw);
         }) == 0
             ? 0
             : -1;
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t port, std::uint32_t index,
                      ibv_gid_entry* entry, std::uint32_t flags, std::size_t entry_size) {
  if (flags != 0 || entry_size < sizeof *entry || port != 1 || index != 0) return EINVAL;
  *entry = {};
  entry->port_num = port;
  entry->gid_type = IBV_GID_TYPE_ROCE_V2;
  return ibv_query_gid(context, 1, 0, &entry->gid) == 0 ? 0 : EIO;
}

ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries, std::size_t max_entries,
                             std::uint32_t flags, std::size_t entry_size) {
  if (max_entries == 0) return -EINVAL;
  const int error = _ibv_query_gid_ex(context, 1, 0, entries, flags, entry_size);
  return error == 0 ? 1 : -error;
}

int ibv_query_pkey(ibv_context* /*context*/, std::uint8_t port, int index, __be16* pkey) {
  if (port != 1 || index != 0) {
    errno = EINVAL;
    return -1;
  }
  *pkey = 0xFFFF;  // the default partition, the only one of RoCE
  return 0;
}

int ibv_get_pkey_index(ibv_context* /*context*/, std::uint8_t port, __be16 pkey) {
  if (port == 1 && pkey == 0xFFFF) return 0;
  errno = EINVAL;
  return -1;
}

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  verbs::Context& of = object(context);
  auto made = std::make_unique<verbs::Pd>();
  verbs::Pd& pd = *made;
  pd.context = context;
  const int error = verbs::error_of([&] { pd.handle = of.driver().alloc_pd(); });
  if (error == 0) of.pds.push_back(std::move(made));
  return verbs::pointer_or_errno<ibv_pd>(error == 0 ? &pd : nullptr, error);
}

int ibv_dealloc_pd(ibv_pd* pd) {
  verbs::Context& of = object(pd->context);
  verbs::Pd& one = object(pd);
  if (one.users != 0) return EBUSY;
  const int error = verbs::error_of([&] { of.driver().dealloc_pd(pd->handle); });
  if (error == 0) verbs::forget(of.pds, one);
  return error;
}

// Where a datagram goes. Nothing sends any yet; the address is checked as that of a connection is.
ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attributes) {
  verbs::Context& of = object(pd->context);
  if (attributes->port_num != 1 || attributes->is_global == 0 || attributes->grh.sgid_index != 0) {
    errno = EINVAL;
    return nullptr;
  }
  auto made = std::make_unique<verbs::Ah>();
  verbs::Ah& ah = *made;
  ah.context = pd->context;
  ah.pd = pd;
  ah.attributes = *attributes;
  of.ahs.push_back(std::move(made));
  ++object(pd).users;
  return &ah;
}

int ibv_destroy_ah(ibv_ah* ah) {
  --object(ah->pd).users;
  verbs::forget(object(ah->context).ahs, object(ah));
  return 0;
}

// In a program that waits for one, no other call can be under way.
int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  verbs::DeviceObject& device = object(context).device;
  const int error = verbs::error_of([&] {
    do {
      verbs::set_event(device.driver.wait_event(device.driver.eq(0)), device, *event);
    } while (!verbs::has_element(*event));
  });
  if (error == 0) return 0;
  errno = error;
  return -1;
}

void ibv_ack_async_event(ibv_async_event* event) {
  if (event->event_type == IBV_EVENT_CQ_ERR) ++event->element.cq->async_events_completed;
}
