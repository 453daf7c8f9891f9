#include "hw/eth_switch/stages.h"

namespace railyard {

namespace {

class HeaderParser : public Parser {
 public:
  explicit HeaderParser(const SwitchConfig& config) : classifier_(config.classifier) {}
  Parsed parse(const net::Packet& packet, PortId /*in*/) override {
    const std::uint8_t priority = classifier_.priority(packet.frame);
    return {priority, classifier_.traffic_class(priority)};
  }

 private:
  Classifier classifier_;
};

class StrictAndDwrr : public ClassScheduler {
 public:
  explicit StrictAndDwrr(const SwitchConfig& config) : scheduler_(config.scheduler) {}
  std::optional<unsigned> pick(std::uint8_t eligible,
                               const EgressScheduler::Heads& head_bytes) override {
    return scheduler_.pick(eligible, head_bytes);
  }

 private:
  EgressScheduler scheduler_;
};

class WredMarker : public QueueMarker {
 public:
  WredMarker(const WredConfig& config, const MarkedQueue& queue)
      : rule_(config.rule()),
        average_(config.average(queue.rate)),
        block_(queue.block),
        point_(config.point) {}

  WredVerdict at_enqueue(std::uint64_t depth, net::Ecn ecn, Time now) override {
    return point_ == WredPoint::kEnqueue ? judge(depth, ecn, now) : WredVerdict::kPass;
  }
  WredVerdict at_dequeue(std::uint64_t depth, net::Ecn ecn, Time now) override {
    const WredVerdict verdict =
        point_ == WredPoint::kDequeue ? judge(depth, ecn, now) : WredVerdict::kPass;
    if (depth == 0) average_.empty(now);
    return verdict;
  }

 private:
  WredVerdict judge(std::uint64_t depth, net::Ecn ecn, Time now) {
    return block_.judge(rule_, average_.sample(depth, now), ecn, now);
  }

  EcnRule rule_;
  AverageDepth average_;
  EcnMarking& block_;
  WredPoint point_;
};

}  // namespace

SwitchStages with_defaults(SwitchStages stages) {
  if (!stages.parser) {
    stages.parser = [](const SwitchConfig& config) {
      return std::make_unique<HeaderParser>(config);
    };
  }
  if (!stages.buffer) {
    stages.buffer = [](const SharedBufferShape& shape) {
      return std::make_unique<SharedBuffer>(shape);
    };
  }
  if (!stages.scheduler) {
    stages.scheduler = [](const SwitchConfig& config) {
      return std::make_unique<StrictAndDwrr>(config);
    };
  }
  if (!stages.marker) {
    stages.marker = [](const SwitchConfig& config, const MarkedQueue& queue) {
      return std::make_unique<WredMarker>(config.wred_of(queue.traffic_class), queue);
    };
  }
  return stages;
}

}  // namespace railyard
