#include "platforms/common/verbs/device.h"

#include <cstdlib>
#include <new>

#include "platforms/common/verbs/queue_pair.h"
#include "tlm/base/error.h"
#include "tlm/core/address_space.h"

namespace railyard::rdma {

namespace {

constexpr std::uint64_t kPage = AddressSpace::kPageBytes;

}  // namespace

Device::Device(Core& core) : core_(core) {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  check(count > 0, "ibv_get_device_list finds none");
  context_ = ibv_open_device(list[0]);
  ibv_free_device_list(list);
  check(context_ != nullptr, "ibv_open_device");
  pd_ = ibv_alloc_pd(context_);
  check(pd_ != nullptr, "ibv_alloc_pd");
}

Device::~Device() {
  if (unwinding()) return;
  ibv_dealloc_pd(pd_);
  ibv_close_device(context_);
}

ibv_gid Device::gid() const {
  ibv_gid gid{};
  check(ibv_query_gid(context_, kPort, 0, &gid) == 0, "ibv_query_gid");
  return gid;
}

void Device::check(bool good, const std::string& what) const {
  if (!good) throw InvariantError(core_.name(), core_.now(), what + " failed");
}

Buffer::Buffer(ibv_pd* pd, std::size_t bytes) : memory_(std::calloc(bytes + kPage, 1)) {
  if (memory_ == nullptr) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(memory_);
  data_ = static_cast<std::uint8_t*>(memory_) + (kPage - address % kPage) % kPage;
  mr_ = ibv_reg_mr_iova(pd, data_, bytes, kBase,
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
  if (mr_ != nullptr) return;
  std::free(memory_);
  throw std::bad_alloc();
}

Buffer::~Buffer() {
  if (!unwinding()) ibv_dereg_mr(mr_);
  std::free(memory_);
}

}  // namespace railyard::rdma
