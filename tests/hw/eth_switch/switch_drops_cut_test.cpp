// Broken frames through a cut-through switch: they go out stomped and die at the next hop that
// stores them.
#include <functional>

#include "tests/hw/eth_switch/switch_tools.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

using bench::link_of;

/// h0 - near (cut-through) - far (store and forward) - h1, and h2 at near as well.
struct CutChain {
  explicit CutChain(LinkConfig first, SwitchConfig config = {}, SwitchStages stages = {})
      : partition(simulation.partition()),
        near("near", partition, cut_through(std::move(config)),
             {SwitchLine{first, "h0"}, SwitchLine{link, "far.port0"}, SwitchLine{link, "h2"}},
             std::move(stages)),
        far("far", partition, SwitchConfig{},
            {SwitchLine{link, "near.port1"}, SwitchLine{link, "h1"}}),
        h0("h0", partition, first, 0, Announce::kLastBit),
        h1("h1", partition, link, 0, Announce::kLastBit),
        h2("h2", partition, link, 0, Announce::kLastBit),
        near0("near_link0", partition, first, near.announce()),
        near1("near_link1", partition, link, near.announce()),
        near2("near_link2", partition, link, near.announce()),
        far0("far_link0", partition, link, far.announce()),
        far1("far_link1", partition, link, far.announce()) {
    bind_both(near.port(0), near0);
    bind_both(near.port(1), near1);
    bind_both(near.port(2), near2);
    bind_both(far.port(0), far0);
    bind_both(far.port(1), far1);
    LinkEnd::connect(h0.link, near0);
    LinkEnd::connect(near1, far0);
    LinkEnd::connect(h2.link, near2);
    LinkEnd::connect(far1, h1.link);
    near.forwarding().add_route(net::Ipv4Address{0x0A000001U}, near.forwarding().add_group({1}));
    near.forwarding().add_route(net::Ipv4Address{0x0A000002U}, near.forwarding().add_group({2}));
    far.forwarding().add_route(net::Ipv4Address{0x0A000001U}, far.forwarding().add_group({1}));
    simulation.seal();
  }
  static SwitchConfig cut_through(SwitchConfig config) {
    config.switching = Switching::kCutThrough;
    return config;
  }
  RunEnd run() {
    h0.start();
    h2.start();
    const RunEnd end = simulation.run(kSecond);
    EXPECT_EQ(near.check(), std::nullopt);
    EXPECT_EQ(far.check(), std::nullopt);
    return end;
  }
  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == name) return m.value.whole;
    }
    throw std::out_of_range("no metric " + name);
  }

  LinkConfig link = link_of(10, 1);
  Simulation simulation{SimulationConfig{}};
  Partition& partition;
  EthSwitch near, far;
  bench::Station h0, h1, h2;
  LinkEnd near0, near1, near2, far0, far1;
};

LinkConfig cut_at(Time at) {
  LinkConfig link = link_of(10, 1);
  link.outages = {{at, kMicrosecond}};
  return link;
}

// 9,000 B take 7.2 us of 10G; the frame reaches the egress line after 1 us.
TEST(SwitchDropsCut, AFrameCutOnItsWayInGoesOutStompedAndDiesWhereItIsStored) {
  for (const Time at : {500 * kNanosecond, 2 * kMicrosecond, 7 * kMicrosecond}) {
    SCOPED_TRACE(testing::Message() << "cut at " << at << " ps");
    const support::FreshKernel kernel;
    CutChain chain(cut_at(at));
    chain.h0.queue(chain.h0.frame_to(1, 9000, 3));
    chain.h0.queue(chain.h0.frame_to(1, 500, 3), 20 * kMicrosecond);
    EXPECT_EQ(chain.run(), RunEnd::kDrained);
    EXPECT_EQ(chain.metric("near.cut_through_frames"), 2U);
    EXPECT_EQ(chain.metric("near.port1.stomped_frames"), 1U);
    EXPECT_EQ(chain.metric("near.forwarded_frames"), 2U);
    EXPECT_EQ(chain.metric("near.dropped_frames"), 0U);
    EXPECT_EQ(chain.metric("far.dropped_bad_fcs"), 1U);
    EXPECT_EQ(chain.metric("far.dropped_frames"), 1U);
    EXPECT_EQ(chain.metric("far.port0.dropped_frames"), 1U);
    ASSERT_EQ(chain.h1.arrived.size(), 1U);
    EXPECT_FALSE(chain.h1.arrived[0].bad_fcs);
  }
}

TEST(SwitchDropsCut, AFrameThatCameWithABadFcsDoesTheSame) {
  CutChain chain(link_of(10, 1));
  const bench::Timer bad(chain.partition, 0, [&] {
    Ref<net::Packet> packet = chain.partition.packets().packets.acquire();
    packet->frame = chain.h0.frame_to(1, 9000, 3);
    packet->bad_fcs = true;
    packet->seal();
    chain.h0.stub.send_now(*packet);
  });
  EXPECT_EQ(chain.run(), RunEnd::kDrained);
  EXPECT_EQ(chain.metric("near.port1.stomped_frames"), 1U);
  EXPECT_EQ(chain.metric("near.dropped_frames"), 0U);
  EXPECT_EQ(chain.metric("far.dropped_bad_fcs"), 1U);
  EXPECT_TRUE(chain.h1.arrived.empty());
}

// The egress is busy with another station's frames, so the frame is to be stored, and is dropped.
TEST(SwitchDropsCut, AFrameCutWhileItsEgressIsBusyIsDroppedAtOnce) {
  CutChain chain(cut_at(6 * kMicrosecond));
  for (int i = 0; i < 5; ++i) chain.h2.queue(chain.h2.frame_to(1, 4000, 3));
  chain.h0.queue(chain.h0.frame_to(1, 5000, 3), 4 * kMicrosecond);
  EXPECT_EQ(chain.run(), RunEnd::kDrained);
  EXPECT_EQ(chain.metric("near.dropped_bad_fcs"), 1U);
  EXPECT_EQ(chain.metric("near.port0.dropped_frames"), 1U);
  EXPECT_EQ(chain.metric("near.port1.stomped_frames"), 0U);
  EXPECT_EQ(chain.metric("far.dropped_frames"), 0U);
  EXPECT_EQ(chain.h1.received, 5U);
}

/// Marks everything.
class MarkAll : public QueueMarker {
 public:
  explicit MarkAll(WredPoint point) : point_(point) {}
  WredVerdict at_enqueue(std::uint64_t, net::Ecn, Time) override {
    return point_ == WredPoint::kEnqueue ? WredVerdict::kMark : WredVerdict::kPass;
  }
  WredVerdict at_dequeue(std::uint64_t, net::Ecn, Time) override {
    return point_ == WredPoint::kDequeue ? WredVerdict::kMark : WredVerdict::kPass;
  }

 private:
  WredPoint point_;
};

// A mark must not part the frame from its tail, which may still be cut.
TEST(SwitchDropsCut, AFrameThatIsMarkedOnItsWayOutIsStompedToo) {
  for (const WredPoint point : {WredPoint::kEnqueue, WredPoint::kDequeue}) {
    const support::FreshKernel kernel;
    SwitchStages stages;
    stages.marker = [point](const SwitchConfig&, const MarkedQueue&) {
      return std::make_unique<MarkAll>(point);
    };
    CutChain chain(cut_at(3 * kMicrosecond), {}, std::move(stages));
    chain.h0.queue(chain.h0.frame_to(1, 9000, 3));
    chain.h0.queue(chain.h0.frame_to(1, 500, 3), 20 * kMicrosecond);
    EXPECT_EQ(chain.run(), RunEnd::kDrained);
    EXPECT_EQ(chain.metric("near.port1.ecn_marked"), 2U);
    EXPECT_EQ(chain.metric("near.port1.stomped_frames"), 1U);
    EXPECT_EQ(chain.metric("far.dropped_bad_fcs"), 1U);
    ASSERT_EQ(chain.h1.arrived.size(), 1U);
    EXPECT_EQ(chain.h1.arrived[0].frame.ecn(), net::Ecn::kCe);
  }
}

}  // namespace
}  // namespace railyard
