// The send WQEs of one queue pair that come from memory: which are asked for, how their bytes are
// put together. Plain C++; who asks for them is the requester.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/nic/qp.h"
#include "hw/nic/wqe_parser.h"
#include "tlm/base/ring.h"
#include "tlm/net/packet.h"

namespace railyard::nic {

class WqeQueue {
 public:
  /// A read of basic blocks, contiguous in the ring.
  struct Fetch {
    std::uint64_t address = 0;
    std::uint32_t blocks = 0;  // 0: nothing to ask for
  };

  /// Begins at the WQE `index`, with nothing read.
  void start(std::uint16_t index);

  /// What to read next: at most `fetch` blocks, and not so that more than `prefetch` are read
  /// ahead, of which `parsed` WQEs wait to be sent. No read is made shorter because more are ahead;
  /// but if a WQE is longer than `prefetch`, it is read to its end.
  Fetch next(const Qp& qp, std::uint32_t prefetch, std::uint32_t fetch, std::uint32_t parsed);
  /// A read is done; they may be in any order. `order` is what asked() said.
  void arrived(std::uint32_t order, Ref<net::Payload> payload);
  /// The number of the read that next() made.
  std::uint32_t asked() const { return last_order_; }

  /// The next WQE whose bytes are there: false if there is none. It is parsed into `wqe`.
  bool take(const Qp& qp, SendWqe& wqe, WqeFault& fault);
  /// A WQE that came otherwise, at the index that would be read next.
  void skip(std::uint32_t blocks);

  /// Blocks asked for that are not in a parsed WQE.
  std::uint32_t ahead() const { return static_cast<std::uint16_t>(fetch_ - parse_); }
  bool reading() const { return !reads_.empty(); }
  std::uint16_t fetch_index() const { return fetch_; }

 private:
  struct Read {
    std::uint32_t order = 0;
    std::uint32_t blocks = 0;
    bool done = false;
    Ref<net::Payload> payload;
  };

  std::uint16_t fetch_ = 0;  // of the next block to ask for
  std::uint16_t parse_ = 0;  // of the first in bytes_
  std::uint32_t last_order_ = 0;
  Ring<Read> reads_;
  std::vector<std::uint8_t> bytes_;
  std::size_t head_ = 0;  // bytes before it are parsed
};

}  // namespace railyard::nic
