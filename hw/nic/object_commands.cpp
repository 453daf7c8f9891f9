#include "hw/nic/object_commands.h"

#include <algorithm>
#include <vector>

#include "hw/nic/context_store.h"

namespace railyard::nic {

namespace {

using abi::CommandStatus;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kLeastLogPage = 12;
constexpr std::uint32_t kMostLogPage = 30;
constexpr std::uint32_t kKeyAccess = abi::access::kLocalWrite | abi::access::kRemoteWrite |
                                     abi::access::kRemoteRead | abi::access::kRemoteAtomic |
                                     abi::access::kRelaxedOrdering;

/// Contexts come first, in whole pages.
std::uint64_t context_bytes(const LimitsConfig& limits) {
  const std::uint64_t bytes = std::uint64_t{ContextStore::kContextBytes} * limits.qps;
  return (bytes + kPage - 1) / kPage * kPage;
}

Time nanoseconds(std::uint32_t count) { return static_cast<Time>(count) * kNanosecond; }

/// Makes an object and answers with its number.
template <class T>
Verdict make(ObjectTable<T>& table, const T& value, CommandCall& call, std::uint32_t& number) {
  const auto created = table.create(value);
  if (!created) return {CommandStatus::kLimit, 0};
  number = *created;
  call.output_number(number);
  return {};
}

/// Whether the object that the call names may go.
template <class T>
Verdict may_go(ObjectTable<T>& table, std::uint32_t number) {
  if (!table.exists(number)) return bad_resource(1);
  if (table.used(number)) return {CommandStatus::kResourceBusy, 1};
  return {};
}

/// The pages that a range touches, counted from the page of its first byte.
std::uint64_t touched_pages(std::uint64_t address, std::uint64_t bytes, std::uint32_t log_page) {
  const std::uint64_t page = std::uint64_t{1} << log_page;
  return ((address & (page - 1)) + bytes + page - 1) >> log_page;
}

}  // namespace

ObjectCommands::ObjectCommands(Units& units, Objects& objects, const DeviceParts& parts,
                               std::uint32_t rate_mbps)
    : units_(units), objects_(objects), parts_(parts), rate_mbps_(rate_mbps) {}

std::uint64_t ObjectCommands::memory_bytes() const {
  const std::uint64_t bytes = context_bytes(units_.config->limits) + parts_.keys.memory_bytes();
  return (bytes + kPage - 1) / kPage * kPage;
}

void ObjectCommands::forget() {
  objects_.qps.for_each([this](Qp& qp) {
    qp.state = abi::QpState::kReset;
    parts_.sides.reset(qp);
    parts_.contexts.destroy(qp.slot);
  });
  const LimitsConfig& limits = units_.config->limits;
  for (std::uint32_t n = 0; n < limits.cqs && objects_.cqs.count() > 0; ++n) {
    if (!objects_.cqs.exists(n)) continue;
    parts_.queues.destroy_cq(n);
    objects_.cqs.destroy(n);
  }
  for (std::uint32_t n = 0; n < limits.eqs && objects_.eqs.count() > 0; ++n) {
    if (!objects_.eqs.exists(n)) continue;
    parts_.queues.destroy_eq(n);
    objects_.eqs.destroy(n);
  }
  for (const std::uint32_t key : objects_.keys) {
    if (key != Objects::kNoKey) (void)parts_.keys.destroy(key);
  }
  objects_.clear();
  stage_ = Stage::kNoMemory;
}

Verdict ObjectCommands::query_capabilities(CommandCall& call) const {
  const LimitsConfig& limits = units_.config->limits;
  abi::CapabilitiesOutput out;
  out.max_qps = limits.qps;
  out.max_cqs = limits.cqs;
  out.max_eqs = limits.eqs;
  out.max_mkeys = limits.mkeys;
  out.max_pds = limits.pds;
  out.max_log_wqes = limits.log_wqes;
  out.max_log_cqes = limits.log_cqes;
  out.max_log_eqes = kMaxLogEqes;
  out.max_sge = limits.sge;
  out.max_reads = limits.reads;
  out.max_message = abi::kMaxMessage;
  out.vectors = limits.vectors;
  out.memory_bytes = memory_bytes();
  out.clock_khz = static_cast<std::uint32_t>(kMillisecond / units_.config->clock);
  out.max_inline = abi::kMaxInline;
  call.output(out);
  return {};
}

Verdict ObjectCommands::give_memory(CommandCall& call) {
  const auto in = call.input<abi::GiveMemoryInput>();
  if (stage_ != Stage::kNoMemory) return {CommandStatus::kBadSystemState, 0};
  if (in.address == 0 || in.address % kPage != 0) return bad_parameter(1);
  if (in.bytes < memory_bytes() || in.bytes % kPage != 0) return bad_parameter(2);
  parts_.contexts.set_memory(in.address);
  parts_.keys.set_memory(in.address + context_bytes(units_.config->limits));
  stage_ = Stage::kMemory;
  return {};
}

Verdict ObjectCommands::init_hca(CommandCall& /*call*/) {
  if (stage_ != Stage::kMemory) return {CommandStatus::kBadSystemState, 0};
  stage_ = Stage::kReady;
  return {};
}

Verdict ObjectCommands::teardown_hca(CommandCall& /*call*/) {
  forget();
  return {};
}

Verdict ObjectCommands::query_port(CommandCall& call) const {
  abi::QueryPortOutput out;
  out.up = 1;
  out.interface_mtu = units_.config->interface_mtu;
  out.rate_mbps = rate_mbps_;
  std::copy(units_.address.mac.bytes.begin(), units_.address.mac.bytes.end(), out.mac);
  std::copy(units_.address.gid.begin(), units_.address.gid.end(), out.gid);
  call.output(out);
  return {};
}

Verdict ObjectCommands::alloc_pd(CommandCall& call) {
  std::uint32_t number = 0;
  return make(objects_.pds, {}, call, number);
}

Verdict ObjectCommands::dealloc_pd(CommandCall& call) {
  const std::uint32_t pd = call.input<abi::NumberInput>().number;
  const Verdict verdict = may_go(objects_.pds, pd);
  if (verdict.status != CommandStatus::kOk) return verdict;
  if (parts_.keys.uses_pd(pd)) return {CommandStatus::kResourceBusy, 1};
  objects_.pds.destroy(pd);
  return {};
}

Verdict ObjectCommands::alloc_uar(CommandCall& call) {
  std::uint32_t number = 0;
  return make(objects_.uars, {}, call, number);
}

Verdict ObjectCommands::dealloc_uar(CommandCall& call) {
  const std::uint32_t uar = call.input<abi::NumberInput>().number;
  const Verdict verdict = may_go(objects_.uars, uar);
  if (verdict.status == CommandStatus::kOk) objects_.uars.destroy(uar);
  return verdict;
}

Verdict ObjectCommands::check_mkey(const CommandCall& call) const {
  const auto in = call.input<abi::CreateMkeyInput>();
  const std::uint64_t left = ~std::uint64_t{0} - in.address;
  if (in.bytes == 0 || in.bytes - 1 > left) return bad_parameter(2);
  if (!objects_.pds.exists(in.pd)) return bad_resource(3);
  // As ibv_reg_mr has it: who may write from afar may write at home.
  const std::uint32_t access = in.access;
  const bool remote_writes =
      (access & (abi::access::kRemoteWrite | abi::access::kRemoteAtomic)) != 0;
  if ((access & ~kKeyAccess) != 0) return bad_parameter(4);
  if (remote_writes && (access & abi::access::kLocalWrite) == 0) return bad_parameter(4);
  if (in.log_page < kLeastLogPage || in.log_page > kMostLogPage) return bad_parameter(5);
  const std::uint64_t listed =
      (call.input_image.size() - sizeof(abi::CreateMkeyInput)) / sizeof(abi::Be64);
  const bool fits = in.bytes >> in.log_page <= listed;  // so that the sum does not overflow
  if (in.pages != listed || !fits || in.pages != touched_pages(in.address, in.bytes, in.log_page)) {
    return bad_parameter(6);
  }
  return {};
}

Verdict ObjectCommands::create_mkey(CommandCall& call) {
  const Verdict verdict = check_mkey(call);
  if (verdict.status != CommandStatus::kOk) return verdict;
  const auto in = call.input<abi::CreateMkeyInput>();
  std::vector<std::uint64_t> pages(in.pages);
  const std::uint8_t* at = call.input_image.data() + sizeof in;
  for (std::uint64_t& page : pages) {
    abi::Be64 address;
    std::memcpy(static_cast<void*>(&address), at, sizeof address);
    at += sizeof address;
    page = address;
    if (page % (std::uint64_t{1} << in.log_page) != 0) return bad_parameter(7);
  }
  KeyShape shape;
  shape.address = in.address;
  shape.bytes = in.bytes;
  shape.pd = in.pd;
  shape.access = in.access;
  shape.log_page = in.log_page;
  std::uint32_t key = 0;
  const CommandStatus status = parts_.keys.create(shape, pages, key);
  if (status != CommandStatus::kOk) return {status, 0};
  const std::uint32_t index = key >> 8;
  if (index >= objects_.keys.size()) objects_.keys.resize(index + 1, Objects::kNoKey);
  objects_.keys[index] = key;
  call.output_number(key);
  return {};
}

Verdict ObjectCommands::destroy_mkey(CommandCall& call) {
  const std::uint32_t key = call.input<abi::NumberInput>().number;
  const std::uint32_t index = key >> 8;
  if (key == Objects::kNoKey || index >= objects_.keys.size() || objects_.keys[index] != key) {
    return bad_resource(1);
  }
  const CommandStatus status = parts_.keys.destroy(key);
  if (status != CommandStatus::kOk) return {status, 1};
  objects_.keys[index] = Objects::kNoKey;
  return {};
}

Verdict ObjectCommands::create_eq(CommandCall& call) {
  const auto in = call.input<abi::CreateEqInput>();
  if (in.address == 0 || in.address % abi::kQueueAlignment != 0) return bad_parameter(1);
  if (in.log_entries > kMaxLogEqes) return bad_parameter(2);
  if (in.vector >= units_.config->limits.vectors) return bad_parameter(3);
  if (!objects_.uars.exists(in.uar)) return bad_resource(6);
  std::uint32_t number = 0;
  const Verdict verdict = make(objects_.eqs, {in.uar}, call, number);
  if (verdict.status != CommandStatus::kOk) return verdict;
  objects_.uars.use(in.uar);
  EqShape shape;
  shape.address = in.address;
  shape.log_entries = in.log_entries;
  shape.vector = in.vector;
  shape.moderation = nanoseconds(in.moderation_ns);
  shape.moderation_count = in.moderation_count;
  parts_.queues.create_eq(number, shape);
  return {};
}

Verdict ObjectCommands::destroy_eq(CommandCall& call) {
  const std::uint32_t eq = call.input<abi::NumberInput>().number;
  const Verdict verdict = may_go(objects_.eqs, eq);
  if (verdict.status != CommandStatus::kOk) return verdict;
  objects_.uars.unuse(objects_.eqs.find(eq)->uar);
  objects_.eqs.destroy(eq);
  parts_.queues.destroy_eq(eq);
  return {};
}

Verdict ObjectCommands::create_cq(CommandCall& call) {
  const auto in = call.input<abi::CreateCqInput>();
  if (in.address == 0 || in.address % abi::kQueueAlignment != 0) return bad_parameter(1);
  if (in.doorbell_record == 0 || in.doorbell_record % abi::kRecordBytes != 0)
    return bad_parameter(2);
  if (in.log_entries > units_.config->limits.log_cqes) return bad_parameter(3);
  if (!objects_.eqs.exists(in.eq)) return bad_resource(4);
  if (!objects_.uars.exists(in.uar)) return bad_resource(5);
  std::uint32_t number = 0;
  const Verdict verdict = make(objects_.cqs, {in.eq, in.uar}, call, number);
  if (verdict.status != CommandStatus::kOk) return verdict;
  objects_.eqs.use(in.eq);
  objects_.uars.use(in.uar);
  CqShape shape;
  shape.address = in.address;
  shape.doorbell_record = in.doorbell_record;
  shape.log_entries = in.log_entries;
  shape.eq = in.eq;
  shape.moderation = nanoseconds(in.moderation_ns);
  shape.moderation_count = in.moderation_count;
  parts_.queues.create_cq(number, shape);
  return {};
}

Verdict ObjectCommands::modify_cq(CommandCall& call) {
  const auto in = call.input<abi::ModifyCqInput>();
  if (!objects_.cqs.exists(in.number)) return bad_resource(1);
  parts_.queues.modify_cq(in.number, nanoseconds(in.moderation_ns), in.moderation_count);
  return {};
}

Verdict ObjectCommands::destroy_cq(CommandCall& call) {
  const std::uint32_t cq = call.input<abi::NumberInput>().number;
  const Verdict verdict = may_go(objects_.cqs, cq);
  if (verdict.status != CommandStatus::kOk) return verdict;
  const CqObject object = *objects_.cqs.find(cq);
  objects_.eqs.unuse(object.eq);
  objects_.uars.unuse(object.uar);
  objects_.cqs.destroy(cq);
  parts_.queues.destroy_cq(cq);
  return {};
}

}  // namespace railyard::nic
