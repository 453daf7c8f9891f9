// Paths of 1 to 5 switches, idle, against their closed forms: equal to the picosecond.
#include <gtest/gtest.h>

#include "tests/hw/eth_switch/switch_bench.h"
#include "tests/support/fresh_kernel.h"

namespace railyard {
namespace {

constexpr std::uint32_t kDestination = 0x0A000001;

/// Station, switches in a row, station. `links[i]` lies before switch i; the last one after all.
class Chain {
 public:
  Chain(const SwitchConfig& config, const std::vector<LinkConfig>& links)
      : simulation_({}), partition_(simulation_.partition()) {
    const std::size_t hops = links.size() - 1;
    left_ =
        std::make_unique<bench::Station>("left", partition_, links.front(), 0, Announce::kLastBit);
    right_ =
        std::make_unique<bench::Station>("right", partition_, links.back(), 0, Announce::kLastBit);
    for (std::size_t i = 0; i < hops; ++i) {
      const std::string name = "sw" + std::to_string(i);
      switches_.push_back(std::make_unique<EthSwitch>(
          name.c_str(), partition_, config,
          std::vector<std::optional<SwitchLine>>{SwitchLine{links[i], name + "l"},
                                                 SwitchLine{links[i + 1], name + "r"}}));
      for (const int port : {0, 1}) {
        ends_.push_back(std::make_unique<LinkEnd>(
            (name + "_link" + std::to_string(port)).c_str(), partition_,
            links[i + static_cast<std::size_t>(port)], switches_[i]->announce()));
        bind_both(switches_[i]->port(static_cast<PortId>(port)), *ends_.back());
      }
      Forwarding& forwarding = switches_[i]->forwarding();
      forwarding.add_route(net::Ipv4Address{kDestination}, forwarding.add_group({1}));
    }
    LinkEnd::connect(left_->link, *ends_.front());
    for (std::size_t i = 1; i < hops; ++i) LinkEnd::connect(*ends_[2 * i - 1], *ends_[2 * i]);
    LinkEnd::connect(*ends_.back(), right_->link);
    simulation_.seal();
  }

  /// When the last bit of a frame that is sent at 0 has arrived.
  Time arrival(std::uint32_t bytes) {
    left_->queue(left_->frame_to(1, bytes, 3));
    left_->start();
    simulation_.run(kForever / 2);
    return right_->arrived.size() == 1 ? right_->arrived[0].last_bit : -1;
  }

 private:
  Simulation simulation_;
  Partition& partition_;
  std::unique_ptr<bench::Station> left_, right_;
  std::vector<std::unique_ptr<EthSwitch>> switches_;
  std::vector<std::unique_ptr<LinkEnd>> ends_;
};

std::vector<LinkConfig> cables(std::size_t hops, bool equal_rates) {
  std::vector<LinkConfig> links;
  for (std::size_t i = 0; i <= hops; ++i) {
    links.push_back(bench::link_of(equal_rates ? 400 : (i % 2 == 0 ? 400 : 100), 3 + 7 * i));
  }
  return links;
}

// Each link takes preamble, frame and cable; each switch its pipeline.
TEST(SwitchChain, StoreAndForwardEqualsItsClosedForm) {
  for (const std::uint32_t bytes : {64U, 1048U, 9216U}) {
    for (std::size_t hops = 1; hops <= 5; ++hops) {
      for (const bool equal_rates : {true, false}) {
        const support::FreshKernel kernel;
        SwitchConfig config;
        const auto links = cables(hops, equal_rates);
        Time expected = bench::pipeline_of(config) * static_cast<Time>(hops);
        for (const LinkConfig& link : links) {
          expected += link.rate.time_of(8 + bytes) + link.propagation();
        }
        EXPECT_EQ(Chain(config, links).arrival(bytes), expected) << bytes << " B, " << hops;
      }
    }
  }
}

// Each link takes preamble and cable, each switch the head and its pipeline; the last link takes
// the whole frame. With a slower link only after a faster one, the frame is stored before a faster.
TEST(SwitchChain, CutThroughEqualsItsClosedForm) {
  for (const std::uint32_t bytes : {64U, 1048U, 9216U}) {
    for (std::size_t hops = 1; hops <= 5; ++hops) {
      for (const bool equal_rates : {true, false}) {
        const support::FreshKernel kernel;
        SwitchConfig config;
        config.switching = Switching::kCutThrough;
        const auto links = cables(hops, equal_rates);
        Time launch = 0;
        for (std::size_t i = 0; i < hops; ++i) {
          const LinkConfig& in = links[i];
          const bool cut = !(in.rate < links[i + 1].rate);
          const Time head =
              cut ? in.rate.time_of(8) + in.rate.time_of(64) : in.rate.time_of(8 + bytes);
          launch += head + in.propagation() + bench::pipeline_of(config);
        }
        const LinkConfig& last = links.back();
        EXPECT_EQ(Chain(config, links).arrival(bytes),
                  launch + last.rate.time_of(8 + bytes) + last.propagation())
            << bytes << " B, " << hops;
      }
    }
  }
}

}  // namespace
}  // namespace railyard
