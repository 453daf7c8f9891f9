// What READ responses bring, on its way to memory: keys are checked, pages translated, written.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hw/nic/address_translation.h"
#include "hw/nic/dma_path.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/stage.h"
#include "hw/nic/units.h"
#include "hw/nic/wqe_parser.h"
#include "tlm/base/ring.h"

namespace railyard::nic {

/// A READ response whose PSN is the one that was awaited.
struct ReadResponse {
  Ref<net::Packet> packet;
  Ref<SendWqe> wqe;
  Qp* qp = nullptr;
  std::uint64_t ticket = 0;  // given back
  unsigned cls = 0;
  std::uint32_t offset = 0;  // of its payload in the message
  Time at = 0;               // when it leaves the stage transport
};

class ReadResponseClient {
 public:
  virtual ~ReadResponseClient() = default;
  /// Its payload was given to PCIe, or cannot be written: the key said `error`.
  virtual void response_written(std::uint64_t ticket, SendWqe& wqe, KeyError error) = 0;
};

class ReadResponses : private TranslationClient {
 public:
  ReadResponses(Units& units, ReadResponseClient& client);

  /// One with payload. The client is told by an event of its own.
  void take(ReadResponse response);

 private:
  struct Record {
    ReadResponse response;
    std::uint32_t number = 0;  // of the queue pair
    std::uint32_t pd = 0;
    std::uint32_t gathered = 0;
    Time at = 0;
    KeyError error = KeyError::kNone;
    bool relaxed = false;
    std::vector<BusSegment> segments;
  };
  struct Due {
    std::uint32_t record = 0;
    Time at = 0;
  };

  void translated(std::uint64_t ticket, const Mapping& mapping) override;
  std::uint32_t acquire();
  void gather(std::uint32_t index);
  void use(Record& record, const Mapping& mapping);
  void queue(std::uint32_t index);
  void write_due();
  void write(Record& record);

  Units& units_;
  ReadResponseClient& client_;
  Stage write_stage_;
  Event write_;
  std::deque<Record> records_;
  std::vector<std::uint32_t> free_;
  Ring<Due> due_;
  Time last_due_ = 0;
};

}  // namespace railyard::nic
