#include "sw/driver/driver.h"

#include <algorithm>

#include "sw/driver/command_channel.h"

namespace railyard::driver {

namespace {

using abi::Command;

constexpr std::uint64_t kPage = AddressSpace::kPageBytes;
constexpr std::uint64_t kRecordBytes = 64;  // a cache line of its own
constexpr std::uint32_t kLogEventEntries = 10;
constexpr std::uint32_t kConsumerMask = 0xFF'FFFF;

namespace msix {
constexpr std::uint64_t kEntryBytes = 16;
constexpr std::uint64_t kEnable = 0x8000'0000;  // of the capability's first dword
constexpr std::uint64_t kFunctionMask = 0x4000'0000;
}  // namespace msix

/// Memory that goes back if what it is for does not come to be.
class Held {
 public:
  explicit Held(AddressSpace& memory) : memory_(memory) {}
  ~Held() {
    for (const Address address : addresses_) memory_.release(address);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  Address queue(std::uint64_t bytes) { return take(std::max(bytes, kPage), kPage); }
  Address record() { return take(kRecordBytes, kRecordBytes); }
  void keep() { addresses_.clear(); }

 private:
  Address take(std::uint64_t bytes, std::uint64_t alignment) {
    addresses_.push_back(memory_.allocate(bytes, alignment));
    return addresses_.back();
  }
  AddressSpace& memory_;
  std::vector<Address> addresses_;
};

template <class Input>
Input numbered(std::uint32_t number) {
  Input input;
  input.number = number;
  return input;
}

}  // namespace

struct Device::State {
  State(Core& of, AddressSpace& space, const DevicePlace& where)
      : core(of), memory(space), place(where), channel(of, space, where.registers, where.name) {}

  std::uint32_t create(Command command, const abi::NumberInput& input) {
    return channel.run<abi::NumberOutput>(command, input).number;
  }
  std::uint32_t allocate(Command command) { return create(command, {}); }
  void on(Command command, std::uint32_t number) { (void)create(command, named(number)); }
  static abi::NumberInput named(std::uint32_t number) { return numbered<abi::NumberInput>(number); }

  void start_device();
  void make_eq(unsigned number);
  void set_vector(unsigned number);
  void enable_interrupts(bool enabled);
  void ring_eq(const Eq& eq, std::uint64_t offset);
  Address queue(std::uint64_t bytes) { return memory.allocate(std::max(bytes, kPage), kPage); }
  /// Fills `count` entries of a queue with `image`.
  template <class Entry>
  void fill(Address at, std::uint64_t count, const Entry& image) {
    std::vector<Entry> chunk(std::min<std::uint64_t>(count, kPage / sizeof(Entry)), image);
    for (std::uint64_t done = 0; done < count; done += chunk.size()) {
      core.write(at + done * sizeof(Entry), reinterpret_cast<const std::uint8_t*>(chunk.data()),
                 chunk.size() * sizeof(Entry));
    }
  }

  Core& core;
  AddressSpace& memory;
  DevicePlace place;
  CommandChannel channel;
  abi::CapabilitiesOutput capabilities;
  Address given = 0;  // memory of the device's own
  std::uint32_t uar = 0;
  std::vector<Eq> eqs;
};

Device::Device(Core& core, AddressSpace& memory, const DevicePlace& place)
    : state_(std::make_unique<State>(core, memory, place)) {}

Device::~Device() = default;

const DevicePlace& Device::place() const { return state_->place; }
const abi::CapabilitiesOutput& Device::capabilities() const { return state_->capabilities; }
Core& Device::core() { return state_->core; }
AddressSpace& Device::memory() { return state_->memory; }

void Device::State::start_device() {
  channel.start();
  capabilities = channel.run<abi::CapabilitiesOutput>(Command::kQueryCapabilities, named(0));
  abi::GiveMemoryInput memory_input;
  given = queue(capabilities.memory_bytes);
  memory_input.address = given;
  memory_input.bytes = capabilities.memory_bytes;
  (void)channel.run<abi::NumberOutput>(Command::kGiveMemory, memory_input);
  (void)allocate(Command::kInitHca);
  uar = allocate(Command::kAllocUar);
}

void Device::bring_up(unsigned completion_vectors) {
  State& s = *state_;
  s.start_device();
  const unsigned most = std::min<unsigned>(s.capabilities.vectors, s.capabilities.max_eqs);
  if (completion_vectors + 1 > most) {
    throw DeviceError(
        s.place.name + " has no " + std::to_string(completion_vectors) + " completion vectors",
        abi::CommandStatus::kLimit, 0);
  }
  for (unsigned number = 0; number <= completion_vectors; ++number) {
    s.set_vector(number);
    s.make_eq(number);
  }
  s.enable_interrupts(true);
  for (const Eq& eq : s.eqs) s.ring_eq(eq, abi::uar::kEqArm);
}

void Device::take_down() {
  State& s = *state_;
  s.enable_interrupts(false);
  (void)s.allocate(Command::kTeardownHca);
  for (const Eq& eq : s.eqs) s.memory.release(eq.entries);
  s.eqs.clear();
  s.memory.release(s.given);
  s.given = 0;
  s.channel.stop();
}

void Device::State::set_vector(unsigned number) {
  const Address entry = place.msix_table + msix::kEntryBytes * number;
  core.store(entry, place.message_address & 0xFFFF'FFFF, 4);
  core.store(entry + 4, place.message_address >> 32, 4);
  core.store(entry + 8, place.first_vector + number, 4);
  core.store(entry + 12, 0, 4);  // not masked
}

void Device::State::enable_interrupts(bool enabled) {
  if (place.msix_control == 0) return;
  std::uint64_t control = core.load(place.msix_control, 4) & ~(msix::kEnable | msix::kFunctionMask);
  if (enabled) control |= msix::kEnable;
  core.store(place.msix_control, control, 4);
}

void Device::State::make_eq(unsigned number) {
  Eq eq;
  eq.log_entries = kLogEventEntries;
  eq.entries = queue(std::uint64_t{abi::kEqeBytes} << eq.log_entries);
  eq.vector = place.first_vector + number;
  fill(eq.entries, std::uint64_t{1} << eq.log_entries, abi::Eqe{});
  abi::CreateEqInput input;
  input.address = eq.entries;
  input.log_entries = eq.log_entries;
  input.vector = number;
  input.uar = uar;
  eq.number = channel.run<abi::NumberOutput>(Command::kCreateEq, input).number;
  eqs.push_back(eq);
}

void Device::State::ring_eq(const Eq& eq, std::uint64_t offset) {
  const std::uint32_t word = eq.number << 24 | (eq.consumer & kConsumerMask);
  const Address page = place.registers + abi::kUarBase + std::uint64_t{uar} * abi::kUarBytes;
  core.store(page + offset, swapped(word), 4);
}

abi::QueryPortOutput Device::query_port() {
  return state_->channel.run<abi::QueryPortOutput>(Command::kQueryPort, State::named(0));
}

std::uint32_t Device::alloc_pd() { return state_->allocate(Command::kAllocPd); }
void Device::dealloc_pd(std::uint32_t pd) { state_->on(Command::kDeallocPd, pd); }
std::uint32_t Device::alloc_uar() { return state_->allocate(Command::kAllocUar); }
void Device::dealloc_uar(std::uint32_t uar) { state_->on(Command::kDeallocUar, uar); }

Address Device::uar_address(std::uint32_t uar) const {
  return state_->place.registers + abi::kUarBase + std::uint64_t{uar} * abi::kUarBytes;
}

std::uint32_t Device::create_mkey(std::uint64_t address, std::uint64_t bytes, std::uint32_t pd,
                                  std::uint32_t access, unsigned log_page,
                                  const std::vector<Address>& pages) {
  abi::CreateMkeyInput input;
  input.address = address;
  input.bytes = bytes;
  input.pd = pd;
  input.access = access;
  input.log_page = log_page;
  input.pages = static_cast<std::uint32_t>(pages.size());
  const std::vector<abi::Be64> list(pages.begin(), pages.end());
  return state_->channel.run<abi::CreateMkeyOutput>(Command::kCreateMkey, input, list).number;
}

void Device::destroy_mkey(std::uint32_t key) { state_->on(Command::kDestroyMkey, key); }

Cq Device::create_cq(unsigned log_entries, std::uint32_t eq, std::uint32_t uar) {
  State& s = *state_;
  Held held(s.memory);
  Cq cq;
  cq.log_entries = log_entries;
  cq.eq = eq;
  cq.entries = held.queue(std::uint64_t{abi::kCqeBytes} << log_entries);
  cq.doorbell_record = held.record();
  s.fill(cq.entries, std::uint64_t{1} << log_entries, abi::Cqe{});
  s.fill(cq.doorbell_record, 1, abi::CqDoorbellRecord{});
  abi::CreateCqInput input;
  input.address = cq.entries;
  input.doorbell_record = cq.doorbell_record;
  input.log_entries = log_entries;
  input.eq = eq;
  input.uar = uar;
  cq.number = s.channel.run<abi::NumberOutput>(Command::kCreateCq, input).number;
  held.keep();
  return cq;
}

void Device::modify_cq(std::uint32_t cq, Time moderation, std::uint32_t count) {
  auto input = numbered<abi::ModifyCqInput>(cq);
  input.moderation_ns = static_cast<std::uint32_t>(moderation / kNanosecond);
  input.moderation_count = count;
  (void)state_->channel.run<abi::NumberOutput>(Command::kModifyCq, input);
}

void Device::destroy_cq(const Cq& cq) {
  state_->on(Command::kDestroyCq, cq.number);
  state_->memory.release(cq.entries);
  state_->memory.release(cq.doorbell_record);
}

QueuePair Device::create_qp(const QueuePairWish& wish) {
  State& s = *state_;
  Held held(s.memory);
  QueuePair qp;
  qp.log_send = wish.log_send;
  qp.log_receive = wish.log_receive;
  qp.log_receive_stride = wish.log_receive_stride;
  qp.send = held.queue(std::uint64_t{abi::kWqeBytes} << wish.log_send);
  qp.receive = held.queue(std::uint64_t{1} << (wish.log_receive + wish.log_receive_stride));
  qp.doorbell_record = held.record();
  s.fill(qp.doorbell_record, 1, abi::QpDoorbellRecord{});
  abi::CreateQpInput input;
  input.type = static_cast<std::uint32_t>(wish.type);
  input.pd = wish.pd;
  input.uar = wish.uar;
  input.send_cq = wish.send_cq;
  input.receive_cq = wish.receive_cq;
  input.signal_all = wish.signal_all ? 1U : 0U;
  input.send_address = qp.send;
  input.receive_address = qp.receive;
  input.doorbell_record = qp.doorbell_record;
  input.log_send = wish.log_send;
  input.log_receive = wish.log_receive;
  input.log_receive_stride = wish.log_receive_stride;
  qp.number = s.channel.run<abi::NumberOutput>(Command::kCreateQp, input).number;
  held.keep();
  return qp;
}

void Device::modify_qp(abi::Command transition, abi::ModifyQpInput input) {
  (void)state_->channel.run<abi::NumberOutput>(transition, input);
}

void Device::to_error(std::uint32_t qp) { state_->on(Command::kToError, qp); }
void Device::to_reset(std::uint32_t qp) { state_->on(Command::kToReset, qp); }

abi::QueryQpOutput Device::query_qp(std::uint32_t qp) {
  return state_->channel.run<abi::QueryQpOutput>(Command::kQueryQp, State::named(qp));
}

void Device::destroy_qp(const QueuePair& qp) {
  state_->on(Command::kDestroyQp, qp.number);
  state_->memory.release(qp.send);
  state_->memory.release(qp.receive);
  state_->memory.release(qp.doorbell_record);
}

Eq& Device::eq(unsigned number) { return state_->eqs.at(number); }

bool Device::next_event(Eq& eq, abi::Eqe& event) {
  State& s = *state_;
  const std::uint32_t entries = 1U << eq.log_entries;
  const Address at = eq.entries + std::uint64_t{eq.consumer & (entries - 1)} * abi::kEqeBytes;
  const std::uint64_t owner = (eq.consumer & entries) != 0 ? 1 : 0;
  const std::uint64_t found = s.core.load(at + offsetof(abi::Eqe, owner), 1) & 1U;
  if (found != owner) return false;
  s.core.read(at, reinterpret_cast<std::uint8_t*>(&event), sizeof event);
  ++eq.consumer;
  // Long before the device would find the queue full; else arming says it.
  if (eq.consumer % (entries / 4) == 0) s.ring_eq(eq, abi::uar::kEqConsumer);
  return true;
}

abi::Eqe Device::wait_event(Eq& eq) {
  abi::Eqe event;
  while (!next_event(eq, event)) {
    state_->ring_eq(eq, abi::uar::kEqArm);
    state_->core.wait_interrupt(eq.vector);
  }
  return event;
}

}  // namespace railyard::driver
