// perftest's run_iter_bw, run_iter_bw_server and run_iter_bi in one: posts as far as depth allows,
// polls, posts receives again.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "platforms/rdma_perf/connection.h"
#include "platforms/rdma_perf/results.h"
#include "tlm/base/ring.h"

namespace railyard::rdma_perf {

struct Setting;

class BandwidthLoop {
 public:
  BandwidthLoop(Device& device, Setting& setting,
                const std::vector<std::unique_ptr<Connection>>& connections,
                const CompletionQueues& queues);

  /// Posts receives and arms queues, before anybody sends.
  void prepare();
  void run();

 private:
  static constexpr int kBatch = 16;  // perftest's CTX_POLL_BATCH

  /// A completion that was asked for.
  struct Asked {
    std::uint64_t upto = 0;  // messages that it covers, from the first on
    Time posted = 0;
  };
  struct Sender {
    Connection* connection = nullptr;
    std::size_t size = 0;  // index in samples_
    std::uint64_t posted = 0;
    std::uint64_t completed = 0;
    Ring<Asked> asked;
  };
  /// Of the messages of one size.
  struct Samples {
    std::size_t group = 0;  // index of the size
    BandwidthSamples samples;
    std::uint64_t completed = 0;
    std::uint64_t wanted = 0;
  };

  bool post_all();
  std::uint64_t iterations_of(const Sender& sender) const;
  bool may_post(const Sender& sender) const;
  void post(Sender& sender);
  int poll_sends();
  int poll_receives();
  void complete(Sender& sender);
  void wait_for_event();
  bool all_sent() const;
  bool done() const { return all_sent() && receives_left_ == 0; }
  void leave_results();
  void check(const ibv_wc& completion) const;

  Device& device_;
  Setting& setting_;
  const TestConfig& config_;
  CompletionQueues queues_;
  std::vector<Sender> senders_;
  std::vector<Samples> samples_;
  std::vector<Connection*> receivers_;
  std::vector<std::uint64_t> to_post_;  // receives of each receiver that are not posted yet
  std::uint64_t receives_left_ = 0;
  std::vector<ibv_send_wr> list_;
  std::vector<ibv_sge> segments_;
};

}  // namespace railyard::rdma_perf
