// The registers of a NIC: the initialization segment, and the doorbells of the UAR pages
// (nic_abi.h). What is written passes the stage `doorbell`, then takes effect. An access that
// nothing is there for, or of a wrong size, is ignored and counted; so is a doorbell for what is
// not its UAR's.
#pragma once

#include <cstdint>

#include "hw/nic/blue_field.h"
#include "hw/nic/commands.h"
#include "hw/nic/device_parts.h"
#include "hw/nic/qp_table.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "hw/pcie/dma.h"
#include "tlm/base/ring.h"
#include "tlm/observe/statistics.h"
#include "tlm/sim/event.h"

namespace railyard::nic {

class Registers : public pcie::DeviceRegisters {
 public:
  Registers(Units& units, Objects& objects, const DeviceParts& parts, DeviceHealth& health,
            Commands& commands);

  void register_write(unsigned bar, std::uint64_t offset, const std::uint8_t* data,
                      std::uint32_t bytes, std::uint8_t byte_enables) override;
  pcie::Status register_read(unsigned bar, std::uint64_t offset, std::uint8_t* data,
                             std::uint32_t bytes) override;

 private:
  /// What takes effect at a time, and not only from a time on.
  struct Late {
    enum class Kind : std::uint8_t { kCommand, kArmCq, kConsumeEq };
    Time at = 0;
    Kind kind = Kind::kCommand;
    bool arm = false;
    std::uint32_t number = 0;
    std::uint32_t word = 0;
    std::uint32_t uar = 0;
  };

  std::uint32_t read_dword(std::uint64_t offset, bool& there) const;
  void write_dword(std::uint64_t offset, std::uint32_t value);
  void start_commands(std::uint32_t low);
  void reset();
  bool ready() const { return units_.partition->now() >= ready_at_; }

  void write_uar(std::uint32_t uar, std::uint64_t offset, const std::uint8_t* data,
                 std::uint32_t bytes);
  void send_doorbell(std::uint32_t uar, const std::uint8_t* control);
  void send_write(std::uint32_t uar, std::uint64_t offset, const std::uint8_t* data,
                  std::uint32_t bytes);
  void blue_field(std::uint32_t uar, const BlueFieldBuffer& buffer);
  /// The queue pair of a control segment, if it may be rung from this UAR now; else it is counted.
  Qp* rung(std::uint32_t uar, const std::uint8_t* control);

  void later(Late late);
  void act();
  void carry_out(const Late& late);
  void bad_access(std::uint64_t offset);
  void add_metrics();

  Units& units_;
  Objects& objects_;
  DeviceParts parts_;
  DeviceHealth& health_;
  Commands& commands_;
  Stage doorbell_;
  Event act_;
  Ring<Late> late_;
  BlueFieldPages pages_;
  std::uint32_t queue_high_ = 0;
  Time ready_at_ = 0;

  Counter doorbells_, blue_field_writes_, arms_, command_doorbells_, resets_;
  Counter bad_accesses_, refused_doorbells_, broken_blue_field_;
};

}  // namespace railyard::nic
