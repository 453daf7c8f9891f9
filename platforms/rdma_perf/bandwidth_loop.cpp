#include "platforms/rdma_perf/bandwidth_loop.h"

#include <algorithm>
#include <array>
#include <string>

#include "platforms/rdma_perf/program.h"

namespace railyard::rdma_perf {

BandwidthLoop::BandwidthLoop(Device& device, Setting& setting,
                             const std::vector<std::unique_ptr<Connection>>& connections,
                             const CompletionQueues& queues)
    : device_(device),
      setting_(setting),
      config_(setting.config),
      queues_(queues),
      list_(config_.post_list),
      segments_(config_.post_list) {
  for (const auto& connection : connections) {
    const bool sends = connection->id().client || config_.bidirectional;
    const bool receives =
        config_.test == TestKind::kSend && (!connection->id().client || config_.bidirectional);
    if (receives) {
      receivers_.push_back(connection.get());
      to_post_.push_back(config_.iterations_of(connection->bytes()));
      receives_left_ += to_post_.back();
    }
    if (!sends) continue;
    const std::size_t group = connection->id().group;
    const auto found = std::find_if(samples_.begin(), samples_.end(),
                                    [&](const Samples& s) { return s.group == group; });
    const auto at = static_cast<std::size_t>(found - samples_.begin());
    if (found == samples_.end()) {
      samples_.emplace_back();
      samples_.back().group = group;
      samples_.back().samples.bytes = connection->bytes();
    }
    samples_[at].wanted += config_.iterations_of(connection->bytes());
    Sender sender;
    sender.connection = connection.get();
    sender.size = at;
    senders_.push_back(std::move(sender));
  }
  for (Samples& s : samples_) {
    s.samples.posted.reserve(s.wanted);
    s.samples.completed.reserve(s.wanted);
  }
}

void BandwidthLoop::prepare() {
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    for (std::uint32_t n = 0; n < config_.receive_depth && to_post_[i] > 0; ++n, --to_post_[i]) {
      receivers_[i]->post_receive(i);
    }
  }
  if (!config_.events) return;
  device_.check(ibv_req_notify_cq(queues_.send, 0) == 0, "ibv_req_notify_cq");
  device_.check(ibv_req_notify_cq(queues_.receive, 0) == 0, "ibv_req_notify_cq");
}

void BandwidthLoop::run() {
  while (!done()) {
    bool moved = post_all();
    if (!all_sent() && poll_sends() > 0) moved = true;
    if (receives_left_ > 0 && poll_receives() > 0) moved = true;
    if (!moved && config_.events && !done()) wait_for_event();
  }
  leave_results();
}

bool BandwidthLoop::all_sent() const {
  return std::all_of(samples_.begin(), samples_.end(),
                     [](const Samples& s) { return s.completed >= s.wanted; });
}

// Of mixed sizes those that have their iterations go on: the others are to be measured beside them.
bool BandwidthLoop::may_post(const Sender& sender) const {
  if (!config_.mixed && sender.posted == iterations_of(sender)) return false;
  return sender.posted - sender.completed + config_.post_list <= config_.depth;
}

std::uint64_t BandwidthLoop::iterations_of(const Sender& sender) const {
  return config_.iterations_of(sender.connection->bytes());
}

bool BandwidthLoop::post_all() {
  bool posted = false;
  for (Sender& sender : senders_) {
    while (!all_sent() && may_post(sender)) {
      post(sender);
      posted = true;
      if (config_.mixed) break;  // sizes take turns
    }
  }
  return posted;
}

void BandwidthLoop::post(Sender& sender) {
  Samples& samples = samples_[sender.size];
  const std::uint64_t left =
      config_.mixed ? config_.post_list : iterations_of(sender) - sender.posted;
  const std::uint64_t count = std::min<std::uint64_t>(config_.post_list, left);
  // Mixed sizes end in the middle of it, and nothing may be left without a completion then.
  const std::uint32_t every =
      config_.mixed ? 1 : config_.signal_every_of(sender.connection->bytes());
  const Time now = device_.core().now();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t index = sender.posted + i;
    const bool last = !config_.mixed && index + 1 == iterations_of(sender);
    const bool signalled = (index + 1) % every == 0 || last;
    sender.connection->fill(list_[i], segments_[i], index, signalled);
    list_[i].wr_id = static_cast<std::uint64_t>(&sender - senders_.data());
    if (i > 0) list_[i - 1].next = &list_[i];
    if (signalled) sender.asked.push({index + 1, now});
    samples.samples.posted.push_back(now);
  }
  sender.posted += count;
  PairResult& pair = setting_.results.pairs[sender.connection->id().pair];
  pair.started = std::min(pair.started, now);
  ibv_send_wr* bad = nullptr;
  device_.check(ibv_post_send(sender.connection->qp(), list_.data(), &bad) == 0, "ibv_post_send");
}

void BandwidthLoop::check(const ibv_wc& completion) const {
  device_.check(completion.status == IBV_WC_SUCCESS,
                "a message (status " + std::to_string(completion.status) + ")");
}

int BandwidthLoop::poll_sends() {
  std::array<ibv_wc, kBatch> completions;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const int count = ibv_poll_cq(queues_.send, kBatch, completions.data());
  device_.check(count >= 0, "ibv_poll_cq");
  for (int i = 0; i < count; ++i) {
    check(completions[static_cast<std::size_t>(i)]);
    complete(senders_[completions[static_cast<std::size_t>(i)].wr_id]);
  }
  return count;
}

void BandwidthLoop::complete(Sender& sender) {
  const Time now = device_.core().now();
  const Asked asked = sender.asked.pop();
  const std::uint64_t covered = asked.upto - sender.completed;
  Samples& samples = samples_[sender.size];
  const bool counts = !all_sent();
  sender.completed = asked.upto;
  if (!counts) return;
  samples.completed += covered;
  samples.samples.completed.resize(samples.completed, kForever);
  samples.samples.completed.back() = now;
  Results& results = setting_.results;
  results.sizes[samples.group].completion.record(static_cast<std::uint64_t>(now - asked.posted));
  results.messages += covered;
  PairResult& pair = results.pairs[sender.connection->id().pair];
  pair.bytes += covered * sender.connection->bytes();
  pair.ended = now;
}

int BandwidthLoop::poll_receives() {
  std::array<ibv_wc, kBatch> completions;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const int count = ibv_poll_cq(queues_.receive, kBatch, completions.data());
  device_.check(count >= 0, "ibv_poll_cq");
  for (int i = 0; i < count; ++i) {
    const ibv_wc& completion = completions[static_cast<std::size_t>(i)];
    check(completion);
    --receives_left_;
    if (to_post_[completion.wr_id] == 0) continue;
    --to_post_[completion.wr_id];
    receivers_[completion.wr_id]->post_receive(completion.wr_id);
  }
  return count;
}

// Armed again before it is looked once more: what came in between is found, or has an event.
void BandwidthLoop::wait_for_event() {
  ibv_cq* cq = nullptr;
  void* context = nullptr;
  device_.check(ibv_get_cq_event(queues_.channel, &cq, &context) == 0, "ibv_get_cq_event");
  ibv_ack_cq_events(cq, 1);
  device_.check(ibv_req_notify_cq(cq, 0) == 0, "ibv_req_notify_cq");
}

void BandwidthLoop::leave_results() {
  for (Samples& s : samples_) {
    s.samples.posted.resize(std::min<std::size_t>(s.samples.posted.size(), s.completed));
    setting_.results.add(s.group, bandwidth_row(s.samples));
  }
  // Mixed sizes: what was posted beyond, so that nothing is under way when queue pairs go.
  for (const Sender& sender : senders_) {
    while (sender.completed < sender.posted) poll_sends();
  }
}

}  // namespace railyard::rdma_perf
