// The part of a function that asks: cuts transfers into requests, has tags and room for what it
// asked, takes completions.
//
// Modelled: the largest payload and read request, the 4 KiB rule, tags, bounded room for
// completions (whose credits are infinite: 2.6.1), the completion timeout, unexpected completions.
// Writes and reads go into the port's queue beside each other, each in its order, `queue` of them
// ahead of the line.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/pcie/config_space.h"
#include "hw/pcie/dma.h"
#include "hw/pcie/hierarchy.h"
#include "hw/pcie/port.h"
#include "tlm/config/parameters.h"

namespace railyard::pcie {

struct RequesterConfig {
  std::uint32_t tags = 256;
  Bytes completion_room = kibibytes(256);
  Time completion_timeout = 50 * kMillisecond;
  std::uint32_t queue = 8;

  void declare(Parameters& p);
};

class Requester : public Awaiter {
 public:
  Requester(Hierarchy& hierarchy, const std::string& name, const RequesterConfig& config,
            Port& port);
  Requester(const Requester&) = delete;
  Requester& operator=(const Requester&) = delete;

  void set_id(DeviceId id) { id_ = id; }
  /// By default 128 and 128 as after a reset, and all tags that are configured.
  void set_limits(std::uint32_t max_payload, std::uint32_t max_read_request, std::uint32_t tags);
  void set_observer(RequesterObserver* observer) { observer_ = observer; }
  /// Told of completion timeouts and unexpected completions, for the function's error registers.
  void set_error_log(std::function<void(UncorrectableError)> log) { error_log_ = std::move(log); }

  /// Takes a transfer; its listener is called when it is done, never within the call.
  void dma(DmaRequest&& request, DmaListener& listener);
  /// The port has put one of this requester's TLPs on the line.
  void sending(const Tlp& tlp);
  /// A completion that came for this requester. It is to be released by the caller.
  void completed(const Tlp& completion);

  Time earliest() const override;

  std::uint32_t reads_in_flight() const { return tags_in_use_; }
  bool idle() const { return writes_.empty() && active_reads_ == 0; }

 private:
  struct Write {
    DmaRequest request;
    DmaListener* listener = nullptr;
    Time given = 0;
    std::uint32_t cut = 0;   // bytes in the queue or beyond
    std::uint32_t sent = 0;  // bytes on the line or beyond
    UnderWay under_way;
  };
  struct Read {
    DmaRequest request;
    DmaListener* listener = nullptr;
    Time given = 0;
    Time wanted = 0;            // since when its next request waits for a tag
    std::uint64_t fence = 0;    // writes that must be queued before
    std::uint32_t cut = 0;      // bytes asked for
    std::uint32_t left = 0;     // bytes that have not come
    std::uint32_t pending = 0;  // requests without an answer
    Status status = Status::kSuccess;
    bool active = false;
    bool all_cut = false;
    bool attended = false;
  };
  struct Tag {
    bool in_use = false;
    std::uint32_t read = 0;    // index into reads_
    std::uint32_t offset = 0;  // in the transfer, of the next byte to come
    std::uint32_t left = 0;
    std::uint32_t room = 0;
    std::uint64_t serial = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };
  struct Issued {
    std::uint16_t tag = 0;
    std::uint64_t serial = 0;
    Time at = 0;
  };

  struct Told {
    DmaListener* listener = nullptr;
    DmaDone done;
  };

  void give_write(DmaRequest&& request, DmaListener& listener);
  void give_read(DmaRequest&& request, DmaListener& listener);
  Time earliest_write() const;
  Time earliest_read() const;
  /// What the line takes at least for `bytes` beside one TLP.
  Time line_time_beyond_one(std::uint32_t bytes) const;
  bool waits(const Issued& issued) const {
    return tags_[issued.tag].in_use && tags_[issued.tag].serial == issued.serial;
  }
  void fill();
  void fill_writes();
  void fill_reads();
  void cut_write(Write& write);
  void cut_read(std::uint32_t index);
  bool may_ask(const Read& read, std::uint32_t bytes) const;
  void answer(Tag& tag, std::uint16_t number, const Tlp* last, Status status);
  void finish_read(std::uint32_t index);
  void time_out();
  void tell(DmaListener& listener, DmaDone&& done);
  void tell_all();
  void register_all(const std::string& name);

  Hierarchy& hierarchy_;
  LazyScheduler& scheduler_;
  std::string name_;
  RequesterConfig config_;
  Port& port_;
  DeviceId id_;
  std::uint32_t max_payload_ = 128;
  std::uint32_t max_read_request_ = 128;
  RequesterObserver* observer_ = nullptr;
  std::function<void(UncorrectableError)> error_log_;

  Ring<Write> writes_;                 // those not on the line in whole
  std::size_t next_write_ = 0;         // the first that is not queued in whole, from the front
  std::uint64_t first_write_ = 0;      // serial of the front
  std::uint32_t relaxed_uncut_ = 0;    // relaxed ones that are not queued in whole
  Ring<std::uint32_t> waiting_reads_;  // those not asked for in whole
  std::vector<Read> reads_;
  std::vector<std::uint32_t> free_reads_;
  std::uint32_t active_reads_ = 0;
  std::vector<Tag> tags_;
  Ring<std::uint16_t> free_tags_;
  std::uint32_t tag_limit_;
  std::uint32_t tags_in_use_ = 0;
  std::uint64_t room_used_ = 0;
  std::uint64_t serial_ = 0;
  Ring<Issued> issued_;
  Event time_out_;
  bool filling_ = false;
  bool giving_ = false;  // within dma()
  Event tell_;           // the partition's: outside of the hierarchy's time
  Ring<Told> told_later_;

  Counter reads_done_, writes_done_, read_bytes_, write_bytes_, requests_, timeouts_, unexpected_,
      failed_;
  Histogram read_latency_, write_latency_, request_latency_;
  std::array<Counter, kStages> stage_time_;
  TimeWeighted in_flight_;
  Probe in_flight_probe_;
  WaitPoint waits_for_completion_;
};

}  // namespace railyard::pcie
