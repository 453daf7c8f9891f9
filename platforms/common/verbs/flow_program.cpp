#include "platforms/common/verbs/flow_program.h"

#include <algorithm>
#include <array>
#include <memory>

#include "tlm/base/ring.h"
#include "tlm/core/address_space.h"

namespace railyard::rdma {

namespace {

/// From the last program's being ready to the time that all have seen it.
constexpr Time kBeginAfter = 2 * kMicrosecond;
/// Who is done looks so often whether the others are.
constexpr Time kEndLook = 10 * kMicrosecond;
constexpr int kBatch = 16;

std::uint64_t whole_pages(std::uint64_t bytes) {
  const std::uint64_t page = AddressSpace::kPageBytes;
  return (bytes + page - 1) / page * page;
}

/// Never 0, as memory is at first.
std::uint8_t pattern(std::size_t flow, std::uint64_t index) {
  constexpr std::uint64_t kValues = 255;
  return static_cast<std::uint8_t>(1 + (index * 7 + index / 256 * 13 + flow * 31) % kValues);
}

/// A flow's end: its queue pair, and memory for one message, which all messages use in turn.
struct End {
  FlowEnd id;
  std::unique_ptr<QueuePair> pair;
  std::uint8_t* memory = nullptr;
  Destination remote;
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
  Ring<Time> posted_at;
};

/// What a program holds while it runs.
class Session {
 public:
  Session(FlowSetting& setting, const std::vector<FlowEnd>& ids, Core& core)
      : setting_(setting),
        book_(setting.book),
        core_(core),
        device_(core),
        buffer_(device_.pd(), memory_of(setting, ids)) {
    make_queues(ids);
    std::uint64_t offset = 0;
    for (const FlowEnd& id : ids) {
      ends_.push_back(make_end(id, buffer_.data() + offset));
      offset += whole_pages(book_.flow(id.flow).message_size);
    }
  }

  ~Session() {
    ends_.clear();
    if (!unwinding()) {
      ibv_destroy_cq(receive_);
      ibv_destroy_cq(send_);
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    publish();
    setting_.board.meet(core_);
    connect();
    setting_.board.meet(core_);
    begin();
    while (!done()) {
      const bool posted = post_all();
      if (poll() == 0 && !posted) wait_for_start();
    }
    setting_.board.meet(core_, kEndLook);
    if (setting_.carried) check_bytes();
  }

 private:
  static std::uint64_t memory_of(const FlowSetting& setting, const std::vector<FlowEnd>& ids) {
    std::uint64_t bytes = 0;
    for (const FlowEnd& id : ids) bytes += whole_pages(setting.book.flow(id.flow).message_size);
    return bytes;
  }

  void make_queues(const std::vector<FlowEnd>& ids) {
    const auto sends = std::count_if(ids.begin(), ids.end(), [](auto& id) { return id.source; });
    const auto entries = std::max<std::int64_t>(sends, 1) * setting_.requests.depth;
    send_ = ibv_create_cq(device_.context(), static_cast<int>(entries), nullptr, nullptr, 0);
    receive_ = ibv_create_cq(device_.context(), 1, nullptr, nullptr, 0);
    device_.check(send_ != nullptr && receive_ != nullptr, "ibv_create_cq");
  }

  End make_end(const FlowEnd& id, std::uint8_t* memory) {
    QueuePairShape shape;
    shape.send = send_;
    shape.receive = receive_;
    shape.sends = id.source ? setting_.requests.depth : 1;
    End end;
    end.id = id;
    end.pair = std::make_unique<QueuePair>(device_, shape);
    end.memory = memory;
    return end;
  }

  void publish() {
    for (const End& end : ends_) {
      Destination here = end.pair->here();
      here.rkey = buffer_.mr().rkey;
      here.address = buffer_.address_of(end.memory);
      setting_.board.publish(end.id, here);
    }
  }

  void connect() {
    for (End& end : ends_) {
      const Flow& flow = book_.flow(end.id.flow);
      end.remote = setting_.board.find({end.id.flow, !end.id.source});
      QueuePairPath path;
      path.mtu = flow.path_mtu;
      path.traffic_class = flow.traffic_class;
      path.timeout = setting_.requests.timeout;
      end.pair->connect(end.remote, path);
      if (!setting_.carried || !end.id.source) continue;
      for (std::uint64_t i = 0; i < flow.message_size; ++i) end.memory[i] = pattern(end.id.flow, i);
    }
  }

  /// All begin at one time, at a whole microsecond.
  void begin() {
    const Time after = setting_.board.met_at() + kBeginAfter;
    const Time at = (after + kMicrosecond - 1) / kMicrosecond * kMicrosecond;
    book_.set_began(at);
    core_.spend(at - core_.now());
  }

  bool over(const End& end) const {
    const bool all = end.posted == book_.flow(end.id.flow).messages;
    return !end.id.source ||
           ((all || book_.record(end.id.flow).failed) && end.completed == end.posted);
  }
  bool done() const {
    return std::all_of(ends_.begin(), ends_.end(), [this](const End& end) { return over(end); });
  }

  bool may_post(const End& end) const {
    return end.id.source && end.posted < book_.flow(end.id.flow).messages &&
           end.posted - end.completed < setting_.requests.depth &&
           book_.start_of(end.id.flow) <= core_.now() && !book_.record(end.id.flow).failed;
  }

  /// Flows take turns, a message each.
  bool post_all() {
    bool any = false;
    for (bool posted = true; posted;) {
      posted = false;
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        if (!may_post(ends_[i])) continue;
        post(i);
        posted = any = true;
      }
    }
    return any;
  }

  void post(std::size_t index) {
    End& end = ends_[index];
    ibv_sge segment{};
    segment.addr = buffer_.address_of(end.memory);
    segment.length = static_cast<std::uint32_t>(book_.flow(end.id.flow).message_size);
    segment.lkey = buffer_.mr().lkey;
    ibv_send_wr request{};
    request.wr_id = index;
    request.sg_list = &segment;
    request.num_sge = 1;
    request.opcode = IBV_WR_RDMA_WRITE;
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma.remote_addr = end.remote.address;
    request.wr.rdma.rkey = end.remote.rkey;
    end.posted_at.push(core_.now());
    ++end.posted;
    ibv_send_wr* bad = nullptr;
    device_.check(ibv_post_send(end.pair->verbs(), &request, &bad) == 0, "ibv_post_send");
  }

  int poll() {
    std::array<ibv_wc, kBatch> completions;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const int count = ibv_poll_cq(send_, kBatch, completions.data());
    device_.check(count >= 0, "ibv_poll_cq");
    for (int i = 0; i < count; ++i) complete(completions[static_cast<std::size_t>(i)]);
    return count;
  }

  void complete(const ibv_wc& completion) {
    End& end = ends_[completion.wr_id];
    FlowRecord& record = book_.record(end.id.flow);
    const Time posted = end.posted_at.pop();
    ++end.completed;
    if (completion.status != IBV_WC_SUCCESS) {
      record.failed = true;
      return;
    }
    ++record.completed;
    record.completed_at = core_.now();
    book_.message_times().record(static_cast<std::uint64_t>(core_.now() - posted));
  }

  /// Nothing is under way: until the next flow's start nothing will be.
  void wait_for_start() {
    Time next = kForever;
    for (const End& end : ends_) {
      if (end.completed != end.posted) return;
      if (end.id.source && end.posted == 0) next = std::min(next, book_.start_of(end.id.flow));
    }
    if (next != kForever && next > core_.now()) core_.spend(next - core_.now());
  }

  void check_bytes() {
    for (const End& end : ends_) {
      const Flow& flow = book_.flow(end.id.flow);
      FlowRecord& record = book_.record(end.id.flow);
      if (end.id.source || record.received < flow.message_size) continue;
      for (std::uint64_t i = 0; i < flow.message_size; ++i) {
        if (end.memory[i] != pattern(end.id.flow, i)) ++record.wrong_bytes;
      }
    }
  }

  FlowSetting& setting_;
  FlowBook& book_;
  Core& core_;
  Device device_;
  Buffer buffer_;
  ibv_cq* send_ = nullptr;
  ibv_cq* receive_ = nullptr;
  std::vector<End> ends_;
};

}  // namespace

void FlowProgram::run(Core& core) { Session(setting_, ends_, core).run(); }

}  // namespace railyard::rdma
