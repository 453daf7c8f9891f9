// The NIC's driver: brings a device up and makes its objects, by registers and memory alone, as
// firmware and a kernel driver do it. All calls run in a program on a core and take its time.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/nic/nic_abi.h"
#include "tlm/core/address_space.h"
#include "tlm/core/core.h"

namespace railyard::driver {

namespace abi = nic::abi;

/// A command that the device refused, or a device that does not work.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(const std::string& what, abi::CommandStatus of_command, std::uint32_t field)
      : std::runtime_error(what), status(of_command), syndrome(field) {}
  abi::CommandStatus status;
  std::uint32_t syndrome;
};

/// Where the platform has put a device.
struct DevicePlace {
  std::string name;        // "mlx5_0"-like, for verbs
  Address registers = 0;   // BAR 0
  Address msix_table = 0;  // BAR 2
  /// Of the MSI-X capability in configuration space: its first dword, whose upper half is the
  /// message control. 0: there is none.
  Address msix_control = 0;
  Address message_address = 0;  // interrupts are writes to it...
  unsigned first_vector = 32;   // ...of this and the following numbers
};

/// A completion queue's memory.
struct Cq {
  std::uint32_t number = 0;
  Address entries = 0;
  Address doorbell_record = 0;
  std::uint32_t log_entries = 0;
  std::uint32_t consumer = 0;      // 32 bits, as software counts
  std::uint32_t arm_sequence = 0;  // 2 bits
  std::uint32_t eq = 0;
};

struct Eq {
  std::uint32_t number = 0;
  Address entries = 0;
  std::uint32_t log_entries = 0;
  std::uint32_t consumer = 0;
  unsigned vector = 0;  // of the host
};

/// A queue pair's memory.
struct QueuePair {
  std::uint32_t number = 0;
  Address send = 0;
  Address receive = 0;
  Address doorbell_record = 0;
  std::uint32_t log_send = 0;  // basic blocks of 64 bytes
  std::uint32_t log_receive = 0;
  std::uint32_t log_receive_stride = 0;
};

struct QueuePairWish {
  abi::QpType type = abi::QpType::kRc;
  std::uint32_t pd = 0;
  std::uint32_t uar = 0;
  std::uint32_t send_cq = 0;
  std::uint32_t receive_cq = 0;
  std::uint32_t log_send = 0;
  std::uint32_t log_receive = 0;
  std::uint32_t log_receive_stride = 4;
  bool signal_all = false;
};

class Device {
 public:
  Device(Core& core, AddressSpace& memory, const DevicePlace& place);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Resets the device, starts its command queue, asks what it can, gives it memory, makes event
  /// queue 0 and `completion_vectors` more (1 to n), and unmasks their interrupts. Throws
  /// DeviceError.
  void bring_up(unsigned completion_vectors = 1);
  /// The device forgets all objects, and what bring_up() took is given back. Without it, the device
  /// keeps what it was given.
  void take_down();

  const DevicePlace& place() const;
  const abi::CapabilitiesOutput& capabilities() const;
  Core& core();
  AddressSpace& memory();

  abi::QueryPortOutput query_port();

  std::uint32_t alloc_pd();
  void dealloc_pd(std::uint32_t pd);
  std::uint32_t alloc_uar();
  void dealloc_uar(std::uint32_t uar);
  /// The address of a UAR's page.
  Address uar_address(std::uint32_t uar) const;

  /// `pages`: bus addresses of pages of 1 << log_page bytes.
  std::uint32_t create_mkey(std::uint64_t address, std::uint64_t bytes, std::uint32_t pd,
                            std::uint32_t access, unsigned log_page,
                            const std::vector<Address>& pages);
  void destroy_mkey(std::uint32_t key);

  Cq create_cq(unsigned log_entries, std::uint32_t eq, std::uint32_t uar);
  /// An event at most once in `moderation`, or after `count` completions.
  void modify_cq(std::uint32_t cq, Time moderation, std::uint32_t count);
  void destroy_cq(const Cq& cq);

  QueuePair create_qp(const QueuePairWish& wish);
  /// `transition` is one of kRstToInit, kInitToRtr, kRtrToRts, kRtsToRts.
  void modify_qp(abi::Command transition, abi::ModifyQpInput input);
  void to_error(std::uint32_t qp);
  void to_reset(std::uint32_t qp);
  abi::QueryQpOutput query_qp(std::uint32_t qp);
  void destroy_qp(const QueuePair& qp);

  /// Event queue 0 is the device's own (queue pair errors); 1 to n are for completions.
  Eq& eq(unsigned number);
  /// The next event of the queue, if there is one now. Waiting for one arms the queue.
  bool next_event(Eq& eq, abi::Eqe& event);
  /// Waits for its interrupt until there is one.
  abi::Eqe wait_event(Eq& eq);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::driver
