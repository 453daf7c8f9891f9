// Memory regions.
#include "sw/verbs/objects.h"

// The header's macros choose between these.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

namespace railyard::verbs {

namespace {

constexpr unsigned kLogPage = 12;
static_assert(AddressSpace::kPageBytes == 1U << kLogPage);

std::uint64_t offset_in_page(std::uint64_t address) { return address % AddressSpace::kPageBytes; }

/// As ib_check_mr_access() has it: who may write from afar may write here.
bool allowed(unsigned access) {
  constexpr unsigned kKnown = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                              IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  if ((access & ~(kKnown | IBV_ACCESS_OPTIONAL_RANGE)) != 0) return false;
  const bool remote_writes = (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
  return !remote_writes || (access & IBV_ACCESS_LOCAL_WRITE) != 0;
}

/// Optional flags that a device does not know are no error.
std::uint32_t device_access(unsigned access) {
  constexpr unsigned kMandatory = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                                  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  static_assert(IBV_ACCESS_RELAXED_ORDERING == abi::access::kRelaxedOrdering);
  return access & (kMandatory | IBV_ACCESS_RELAXED_ORDERING);
}

/// The range becomes the host's memory, and its key the device's.
std::uint32_t make_key(Context& context, const Pd& pd, void* address, std::size_t bytes,
                       std::uint64_t iova, unsigned access) {
  AddressSpace& memory = context.device.machine.memory();
  const VerbsConfig& config = context.device.machine.config();
  const std::vector<Address> pages = memory.map(address, bytes);
  try {
    context.core().spend(config.registration +
                         static_cast<Time>(pages.size()) * config.registration_page);
    return context.driver().create_mkey(iova, bytes, pd.handle, device_access(access), kLogPage,
                                        pages);
  } catch (const driver::DeviceError&) {
    memory.unmap(address, bytes);
    throw;
  }
}

}  // namespace

}  // namespace railyard::verbs

namespace verbs = railyard::verbs;
using verbs::object;

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova,
                         unsigned access) {
  const auto address = reinterpret_cast<std::uintptr_t>(addr);
  const bool wraps = length > ~std::uint64_t{0} - std::max<std::uint64_t>(address, iova);
  if (length == 0 || wraps || !verbs::allowed(access) ||
      verbs::offset_in_page(address) != verbs::offset_in_page(iova)) {
    errno = EINVAL;
    return nullptr;
  }
  verbs::Context& context = object(pd->context);
  auto made = std::make_unique<verbs::Mr>();
  verbs::Mr& mr = *made;
  mr.context = pd->context;
  mr.pd = pd;
  mr.addr = addr;
  mr.length = length;
  const int error = verbs::error_of(
      [&] { mr.lkey = verbs::make_key(context, object(pd), addr, length, iova, access); });
  if (error != 0) return verbs::pointer_or_errno<ibv_mr>(nullptr, error);
  mr.rkey = mr.lkey;
  mr.handle = mr.lkey;
  context.mrs.push_back(std::move(made));
  ++object(pd).users;
  return &mr;
}

ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova,
                        int access) {
  return ibv_reg_mr_iova2(pd, addr, length, iova, static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* addr, std::size_t length, int access) {
  return ibv_reg_mr_iova(pd, addr, length, reinterpret_cast<std::uintptr_t>(addr), access);
}

int ibv_dereg_mr(ibv_mr* mr) {
  verbs::Context& context = object(mr->context);
  const int error = verbs::error_of([&] { context.driver().destroy_mkey(mr->lkey); });
  if (error != 0) return error;
  context.device.machine.memory().unmap(mr->addr, mr->length);
  --object(mr->pd).users;
  verbs::forget(context.mrs, object(mr));
  return 0;
}
