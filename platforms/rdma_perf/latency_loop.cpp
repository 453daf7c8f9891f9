#include "platforms/rdma_perf/latency_loop.h"

#include <algorithm>
#include <string>

#include "platforms/rdma_perf/program.h"

namespace railyard::rdma_perf {

namespace {
// Of these the caches are cold: they are in the table, as perftest has it, but not in the
// breakdown.
constexpr std::uint64_t kWarmUp = 2;
}  // namespace

LatencyLoop::LatencyLoop(Device& device, AddressSpace& memory, Setting& setting,
                         Connection& connection, const CompletionQueues& queues, std::size_t size)
    : device_(device),
      memory_(memory),
      setting_(setting),
      config_(setting.config),
      connection_(connection),
      queues_(queues),
      size_(size),
      iterations_(config_.iterations_of(connection.bytes())),
      client_(connection.id().client),
      last_sent_(connection.source() + connection.bytes() - 1),
      last_received_(connection.target() + connection.bytes() - 1) {
  const std::vector<Address> pages = memory_.map(last_received_, 1);
  const auto at = reinterpret_cast<std::uintptr_t>(last_received_);
  received_at_ = pages.front() + at % AddressSpace::kPageBytes;
  // Other sizes have left their bytes.
  *last_received_ = 0;
}

LatencyLoop::~LatencyLoop() { memory_.unmap(last_received_, 1); }

SizeResult& LatencyLoop::result() const { return setting_.results.sizes[size_]; }

void LatencyLoop::prepare() {
  if (config_.test == TestKind::kSend) {
    const std::uint64_t most = std::min<std::uint64_t>(config_.receive_depth, iterations_);
    for (; receives_posted_ < most; ++receives_posted_) connection_.post_receive(0);
  }
  result().posted[client_ ? 0 : 1].reserve(iterations_);
  if (!config_.events) return;
  device_.check(ibv_req_notify_cq(queues_.send, 0) == 0, "ibv_req_notify_cq");
  device_.check(ibv_req_notify_cq(queues_.receive, 0) == 0, "ibv_req_notify_cq");
}

void LatencyLoop::run() {
  constexpr unsigned kBothWays = 2;
  const bool reads = config_.test == TestKind::kRead;
  if (reads && client_) read();
  if (!reads) ping_pong();
  if (!client_) return;
  const std::vector<Time>& posted = result().posted[0];
  result().latency = latency_row(result().bytes, posted, reads ? 1 : kBothWays);
}

void LatencyLoop::ping_pong() {
  const std::uint64_t most = iterations_;
  while (posted_ < most || received_ < most) {
    // The client begins.
    if (received_ < most && !(posted_ == 0 && client_)) {
      wait_for_message();
      ++received_;
      add_message(result().posted[client_ ? 1 : 0][received_ - 1], true);
    }
    if (posted_ == most) continue;
    post();
    wait_for(queues_.send);
  }
}

void LatencyLoop::read() {
  for (std::uint64_t i = 0; i < iterations_; ++i) {
    post();
    wait_for(queues_.send);
    add_message(result().posted[0].back(), false);
  }
}

void LatencyLoop::post() {
  ibv_send_wr request;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  ibv_sge segment;      // NOLINT(cppcoreguidelines-pro-type-member-init)
  result().posted[client_ ? 0 : 1].push_back(device_.core().now());
  ++posted_;
  if (setting_.carried) *last_sent_ = static_cast<std::uint8_t>(posted_);
  connection_.fill(request, segment, 0, true);
  ibv_send_wr* bad = nullptr;
  device_.check(ibv_post_send(connection_.qp(), &request, &bad) == 0, "ibv_post_send");
}

void LatencyLoop::wait_for_message() {
  if (config_.test == TestKind::kSend) {
    wait_for(queues_.receive);
    if (receives_posted_ == iterations_) return;
    ++receives_posted_;
    connection_.post_receive(0);
    return;
  }
  const auto wanted = static_cast<std::uint8_t>(received_ + 1);
  device_.core().poll(received_at_, 1, [wanted](std::uint64_t value) { return value == wanted; });
}

void LatencyLoop::wait_for(ibv_cq* cq) {
  ibv_wc completion;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  int count = ibv_poll_cq(cq, 1, &completion);
  while (count == 0) {
    if (config_.events) {
      ibv_cq* other = nullptr;
      void* context = nullptr;
      device_.check(ibv_get_cq_event(queues_.channel, &other, &context) == 0, "ibv_get_cq_event");
      ibv_ack_cq_events(other, 1);
      device_.check(ibv_req_notify_cq(other, 0) == 0, "ibv_req_notify_cq");
    }
    count = ibv_poll_cq(cq, 1, &completion);
  }
  device_.check(count == 1, "ibv_poll_cq");
  device_.check(completion.status == IBV_WC_SUCCESS,
                "a message (status " + std::to_string(completion.status) + ")");
}

/// A message has come to this side, or, a READ, is back at it.
void LatencyLoop::add_message(Time posted, bool to_here) {
  ++setting_.results.messages;
  if ((to_here ? received_ : posted_) <= kWarmUp) return;
  const std::size_t here = client_ ? 0 : 1;
  const std::size_t sender = to_here ? 1 - here : here;
  result().breakdown.add(posted, device_.core().now(), setting_.passed[sender],
                         setting_.passed[1 - sender]);
}

}  // namespace railyard::rdma_perf
