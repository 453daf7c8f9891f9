#include "hw/nic/registers.h"

#include <cstring>

#include "hw/pcie/msix.h"

namespace railyard::nic {

namespace {

constexpr std::uint32_t kDword = 4;
constexpr std::uint32_t kTwoDwords = 8;
constexpr std::uint8_t kAllBytes = 0xFF;
constexpr unsigned kQpnShift = 8;
constexpr unsigned kEqShift = 24;
constexpr std::uint32_t kQueueAddressMask = ~std::uint32_t{0xFFF};

std::uint32_t big_endian(const std::uint8_t* data) {
  abi::Be32 value;
  std::memcpy(static_cast<void*>(&value), data, sizeof value);
  return value;
}

bool whole(std::uint64_t offset, std::uint32_t bytes) {
  return (bytes == kDword || bytes == kTwoDwords) && offset % bytes == 0;
}

/// How many basic blocks were ever posted, as the control segment of the last WQE says.
std::uint16_t posted(const std::uint8_t* control) {
  const std::uint32_t index = big_endian(control) >> kQpnShift;
  const std::uint32_t segments = big_endian(control + kDword) & abi::kMaxWqeSegments;
  constexpr std::uint32_t kInBlock = abi::kWqeBytes / abi::kSegmentBytes;
  const std::uint32_t blocks = segments == 0 ? 1 : (segments + kInBlock - 1) / kInBlock;
  return static_cast<std::uint16_t>(index + blocks);
}

}  // namespace

Registers::Registers(Units& units, Objects& objects, const DeviceParts& parts, DeviceHealth& health,
                     Commands& commands)
    : units_(units),
      objects_(objects),
      parts_(parts),
      health_(health),
      commands_(commands),
      doorbell_(units.partition->statistics(), units.name + ".doorbell",
                units.config->stages.doorbell, units.config->clock, units.classes(), {},
                "Doorbells taken from the registers"),
      act_(Event::of<&Registers::act>(*this, units.partition->endpoint(units.name + ".registers"),
                                      Phase::kAct)) {
  add_metrics();
}

void Registers::add_metrics() {
  StatisticsRegistry& statistics = units_.partition->statistics();
  const std::string p = units_.name + ".registers.";
  statistics.add(doorbells_, {p + "doorbells", "doorbells", "Send doorbells taken"});
  statistics.add(blue_field_writes_,
                 {p + "blue_field_writes", "WQEs", "WQEs that came whole by BlueField writes"});
  statistics.add(arms_, {p + "arms", "doorbells", "Doorbells of completion and event queues"});
  statistics.add(command_doorbells_,
                 {p + "command_doorbells", "doorbells", "Doorbells of the command queue"});
  statistics.add(resets_, {p + "resets", "resets", "Resets of the function"});
  statistics.add(bad_accesses_, {p + "bad_accesses", "accesses",
                                 "Accesses that hit nothing, or had a wrong size or value"});
  statistics.add(refused_doorbells_,
                 {p + "refused_doorbells", "doorbells",
                  "Doorbells for what does not exist, is not of their UAR, or may not send"});
  statistics.add(broken_blue_field_, {p + "broken_blue_field", "WQEs",
                                      "BlueField writes that were broken off: doorbells instead"});
}

void Registers::bad_access(std::uint64_t offset) {
  bad_accesses_.add();
  health_.report(abi::Health::kBadRegisterAccess, static_cast<std::uint32_t>(offset));
}

pcie::Status Registers::register_read(unsigned bar, std::uint64_t offset, std::uint8_t* data,
                                      std::uint32_t bytes) {
  std::memset(data, 0, bytes);
  bool there = bar == abi::kRegisterBar && whole(offset, bytes) && offset < abi::reg::kBytes;
  for (std::uint32_t at = 0; there && at < bytes; at += kDword) {
    const abi::Be32 value = read_dword(offset + at, there);
    std::memcpy(data + at, static_cast<const void*>(&value), kDword);
  }
  if (!there) bad_access(offset);
  return pcie::Status::kSuccess;
}

std::uint32_t Registers::read_dword(std::uint64_t offset, bool& there) const {
  switch (offset) {
    case abi::reg::kRevision:
      return abi::kAbiRevision;
    case abi::reg::kCommandQueueHigh:
      return queue_high_;
    case abi::reg::kInitializing:
      return ready() ? 0 : abi::kInitializingBit;
    case abi::reg::kHealth:
      return static_cast<std::uint32_t>(health_.health);
    case abi::reg::kHealthQp:
      return health_.object;
    default:
      there = false;
      return 0;
  }
}

void Registers::register_write(unsigned bar, std::uint64_t offset, const std::uint8_t* data,
                               std::uint32_t bytes, std::uint8_t byte_enables) {
  // Ideal PCIe has no MSI-X: that software fills the table is no error.
  const std::uint64_t table =
      std::uint64_t{units_.config->limits.vectors} * pcie::MsixTable::kEntryBytes;
  if (bar == abi::kMsixBar && offset < table) return;
  const std::uint64_t uars = std::uint64_t{abi::kUars} * abi::kUarBytes;
  const bool all = byte_enables == kAllBytes;
  if (bar != abi::kRegisterBar || !all) return bad_access(offset);
  if (offset >= abi::kUarBase && offset - abi::kUarBase < uars) {
    const std::uint64_t at = offset - abi::kUarBase;
    return write_uar(static_cast<std::uint32_t>(at / abi::kUarBytes), at % abi::kUarBytes, data,
                     bytes);
  }
  if (offset >= abi::reg::kBytes || !whole(offset, bytes)) return bad_access(offset);
  for (std::uint32_t at = 0; at < bytes; at += kDword) {
    write_dword(offset + at, big_endian(data + at));
  }
}

void Registers::write_dword(std::uint64_t offset, std::uint32_t value) {
  if (offset == abi::reg::kReset && value == abi::kResetMagic) return reset();
  if (!ready()) return bad_access(offset);
  if (offset == abi::reg::kCommandQueueHigh && !commands_.started()) {
    queue_high_ = value;
  } else if (offset == abi::reg::kCommandQueueLow && !commands_.started()) {
    start_commands(value);
  } else if (offset == abi::reg::kCommandDoorbell) {
    command_doorbells_.add();
    later({0, Late::Kind::kCommand, false, 0, value, 0});
  } else {
    bad_access(offset);
  }
}

void Registers::start_commands(std::uint32_t low) {
  const std::uint32_t log_entries = low >> 4 & 0xFU;
  if (log_entries > abi::kMaxLogCommands || (low & 0xF0FU) != 0) {
    return bad_access(abi::reg::kCommandQueueLow);
  }
  commands_.start(std::uint64_t{queue_high_} << 32 | (low & kQueueAddressMask), log_entries);
}

void Registers::reset() {
  resets_.add();
  units_.partition->scheduler().cancel(act_);
  while (!late_.empty()) late_.pop();
  pages_.clear();
  queue_high_ = 0;
  commands_.reset();
  health_ = {};
  ready_at_ = units_.partition->now() + units_.config->command;
}

void Registers::write_uar(std::uint32_t uar, std::uint64_t offset, const std::uint8_t* data,
                          std::uint32_t bytes) {
  constexpr std::uint64_t kSendEnd =
      abi::uar::kSendDoorbell + abi::uar::kBlueFieldBuffers * abi::uar::kBlueFieldBytes;
  const std::uint64_t place = abi::kUarBase + std::uint64_t{uar} * abi::kUarBytes + offset;
  if (!ready()) return bad_access(place);
  if (offset == abi::uar::kCqArm && bytes == kTwoDwords) {
    later({0, Late::Kind::kArmCq, true, big_endian(data + kDword), big_endian(data), uar});
  } else if ((offset == abi::uar::kEqArm || offset == abi::uar::kEqConsumer) && bytes == kDword) {
    const std::uint32_t word = big_endian(data);
    later({0, Late::Kind::kConsumeEq, offset == abi::uar::kEqArm, word >> kEqShift,
           word & abi::kConsumerMask, uar});
  } else if (offset >= abi::uar::kSendDoorbell && offset < kSendEnd) {
    send_write(uar, offset - abi::uar::kSendDoorbell, data, bytes);
  } else {
    bad_access(place);
  }
}

void Registers::send_write(std::uint32_t uar, std::uint64_t offset, const std::uint8_t* data,
                           std::uint32_t bytes) {
  BlueFieldBuffer& buffer = pages_.of(uar)[offset / abi::uar::kBlueFieldBytes];
  const std::uint64_t within = offset % abi::uar::kBlueFieldBytes;
  const auto break_off = [&] {
    if (!buffer.under_way()) return;
    broken_blue_field_.add();
    send_doorbell(uar, buffer.wqe());
    buffer.clear();
  };
  if (within == 0) {
    break_off();
    if (bytes == kTwoDwords) return send_doorbell(uar, data);
  }
  switch (buffer.take(within, data, bytes)) {
    case BlueFieldBuffer::Result::kPart:
      return;
    case BlueFieldBuffer::Result::kWhole:
      blue_field(uar, buffer);
      return buffer.clear();
    case BlueFieldBuffer::Result::kGarbage:
      break_off();
      return bad_access(abi::kUarBase + std::uint64_t{uar} * abi::kUarBytes +
                        abi::uar::kSendDoorbell + offset);
  }
}

Qp* Registers::rung(std::uint32_t uar, const std::uint8_t* control) {
  Qp* const qp = objects_.qps.find(big_endian(control + kDword) >> kQpnShift);
  if (qp != nullptr && qp->uar == uar && (qp->sends() || qp->state == abi::QpState::kError)) {
    return qp;
  }
  refused_doorbells_.add();
  return nullptr;
}

void Registers::send_doorbell(std::uint32_t uar, const std::uint8_t* control) {
  const Qp* const qp = rung(uar, control);
  if (qp == nullptr) return;
  doorbells_.add();
  const Time at = doorbell_.pass(units_.partition->now(), units_.class_of(qp->priority()));
  parts_.sides.doorbell(qp->number, posted(control), at);
}

void Registers::blue_field(std::uint32_t uar, const BlueFieldBuffer& buffer) {
  const Qp* const qp = rung(uar, buffer.wqe());
  if (qp == nullptr) return;
  blue_field_writes_.add();
  const Time at = doorbell_.pass(units_.partition->now(), units_.class_of(qp->priority()));
  parts_.sides.blue_field(qp->number, buffer.wqe(), buffer.wqe_bytes(), at);
}

void Registers::later(Late late) {
  late.at = doorbell_.pass(units_.partition->now(), 0);
  late_.push(late);
  if (!act_.pending()) units_.partition->scheduler().schedule(act_, late.at);
}

void Registers::act() {
  const Time now = units_.partition->now();
  while (!late_.empty() && late_.front().at <= now) carry_out(late_.pop());
  if (!late_.empty()) units_.partition->scheduler().schedule(act_, late_.front().at);
}

// Objects may have gone meanwhile.
void Registers::carry_out(const Late& late) {
  if (late.kind == Late::Kind::kCommand) {
    const unsigned in_vain = commands_.doorbell(late.word);
    if (in_vain != 0) bad_access(abi::reg::kCommandDoorbell);
    return;
  }
  if (late.kind == Late::Kind::kArmCq) {
    const CqObject* const cq = objects_.cqs.find(late.number);
    if (cq == nullptr || cq->uar != late.uar) return refused_doorbells_.add();
    arms_.add();
    return parts_.queues.arm_cq(late.number, late.word);
  }
  const EqObject* const eq = objects_.eqs.find(late.number);
  if (eq == nullptr || eq->uar != late.uar) return refused_doorbells_.add();
  arms_.add();
  parts_.queues.consume_eq(late.number, late.word, late.arm);
}

}  // namespace railyard::nic
