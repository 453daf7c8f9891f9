// Queue pairs of one program, written against verbs: opened, connected, destroyed.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "platforms/common/verbs/device.h"
#include "platforms/common/verbs/queue_pair.h"
#include "platforms/rdma_perf/board.h"
#include "platforms/rdma_perf/test_config.h"

namespace railyard::rdma_perf {

using rdma::Buffer;
using rdma::Destination;
using rdma::Device;

/// A side of a pair of hosts, and which messages of which size go over it.
struct Role {
  std::size_t pair = 0;
  bool client = false;
};

struct CompletionQueues {
  ibv_comp_channel* channel = nullptr;  // with events
  ibv_cq* send = nullptr;
  ibv_cq* receive = nullptr;
};

/// A queue pair, and the memory that is its own: a half to send from, a half to receive into.
class Connection {
 public:
  Connection(Device& device, const TestConfig& config, const ConnectionId& id, std::uint64_t bytes,
             const CompletionQueues& queues);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void set_memory(const Buffer& buffer, std::uint64_t offset, std::uint64_t half);
  void publish(Board& board) const;
  /// Takes what the other side has published; ready to receive and to send.
  void connect(const Board& board);

  const ConnectionId& id() const { return id_; }
  std::uint64_t bytes() const { return bytes_; }
  ibv_qp* qp() const { return qp_.verbs(); }
  std::uint8_t* source() const { return source_; }
  std::uint8_t* target() const { return target_; }

  /// The work request of message number `index`.
  void fill(ibv_send_wr& request, ibv_sge& segment, std::uint64_t index, bool signalled) const;
  void post_receive(std::uint64_t wr_id);

  /// Gives every byte that messages are sent from its value.
  void write_pattern();
  /// Bytes of what `messages` messages brought here that are not what the other side wrote.
  std::uint64_t wrong_bytes(std::uint64_t messages) const;

 private:
  std::uint8_t pattern(std::uint64_t index) const;
  std::uint64_t stride() const;
  std::uint64_t positions() const;
  std::uint64_t offset_of(std::uint64_t index) const;

  Device& device_;
  const TestConfig& config_;
  ConnectionId id_;
  std::uint64_t bytes_;
  rdma::QueuePair qp_;
  std::uint8_t* source_ = nullptr;
  std::uint8_t* target_ = nullptr;
  std::uint64_t source_address_ = 0;  // the NIC's
  std::uint64_t target_address_ = 0;
  std::uint32_t lkey_ = 0;
  std::uint32_t rkey_ = 0;
  Destination remote_;
};

}  // namespace railyard::rdma_perf
