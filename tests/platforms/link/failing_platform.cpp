// A platform that breaks at 10 us in the way that `failure` says, while it writes all outputs.
#include <stdexcept>

#include "platforms/common/platform.h"
#include "tlm/base/error.h"

namespace railyard {

namespace {

enum class Failure { kNone, kException, kInvariant, kError, kFatal };
enum class Place { kCallback, kThread };

constexpr Time kStep = kMicrosecond;
constexpr std::uint64_t kFailsAt = 10;  // steps

/// Counts microseconds on a probe, sends a frame to a tap and a span to a lane each.
class Breaker : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Breaker);
  Breaker(sc_core::sc_module_name name, Partition& partition, Failure failure, Place place)
      : sc_module(name),
        partition_(partition),
        failure_(failure),
        place_(place),
        step_(Event::of<&Breaker::step>(*this, partition.endpoint("breaker.step"), Phase::kAct)),
        frame_(partition.packets().packets.acquire()) {
    if (place == Place::kThread) SC_THREAD(thread);
    frame_->frame = net::pfc_frame({{2, 0, 0, 0, 0, 1}}, 8, {});
    frame_->seal();
    partition.statistics().add(steps_, {"breaker.steps", "steps", "Steps taken"});
    partition.probes().add(probe_,
                           {"breaker.count", ProbeKind::kUnsigned, 8, "", "Steps taken", {}});
    partition.probes().add(tap_, {"breaker.line", "A frame a step", 0});
    partition.probes().add(lane_, {"breaker.work", "A span a step"});
  }

 private:
  void start_of_simulation() override { partition_.scheduler().schedule(step_, kStep); }

  void step() {
    const Time now = partition_.now();
    steps_.add();
    probe_.set(steps_.value(), now);
    tap_.frame(Direction::kOutbound, *frame_, now);
    lane_.span("step", now - kStep, now, "number", steps_.value());
    if (place_ == Place::kCallback && steps_.value() == kFailsAt) fail();
    partition_.scheduler().schedule_in(step_, kStep);
  }

  void thread() {
    wait(sc_core::sc_time(static_cast<double>(kFailsAt * kStep + 1), sc_core::SC_PS));
    if (place_ == Place::kThread) fail();
  }

  void fail() {
    switch (failure_) {
      case Failure::kNone:
        return;
      case Failure::kException:
        throw std::runtime_error("thrown on purpose");
      case Failure::kInvariant:
        break_invariant(name(), partition_.now(), "broken on purpose");
      case Failure::kError:
        SC_REPORT_ERROR("breaker", "an error on purpose");
        return;
      case Failure::kFatal:
        SC_REPORT_FATAL("breaker", "fatal on purpose");
    }
  }

  Partition& partition_;
  Failure failure_;
  Place place_;
  Event step_;
  Ref<net::Packet> frame_;
  Counter steps_;
  Probe probe_;
  FrameTap tap_;
  SpanProbe lane_;
};

class BreakerFabric : public Fabric {
 public:
  BreakerFabric(Partition& partition, Failure failure, Place place)
      : breaker_("breaker", partition, failure, place) {}
  std::vector<std::string> summary() const override { return {"breaker.steps"}; }

 private:
  Breaker breaker_;
};

class FailingPlatform : public Platform {
 public:
  std::string name() const override { return "failing"; }
  std::string doc() const override { return "Breaks on purpose"; }
  std::string default_config() const override { return ""; }
  void declare(Parameters& p) override {
    p.choice("failure", failure_,
             {{"none", Failure::kNone},
              {"exception", Failure::kException},
              {"invariant", Failure::kInvariant},
              {"error", Failure::kError},
              {"fatal", Failure::kFatal}})
        .doc("How it breaks");
    p.choice("place", place_, {{"callback", Place::kCallback}, {"thread", Place::kThread}})
        .doc("Where it breaks");
  }
  std::unique_ptr<Fabric> build(Simulation& simulation, const RunConfig& /*run*/) override {
    return std::make_unique<BreakerFabric>(simulation.partition(), failure_, place_);
  }

 private:
  Failure failure_ = Failure::kNone;
  Place place_ = Place::kCallback;
};

}  // namespace

}  // namespace railyard

int sc_main(int argc, char** argv) {
  railyard::FailingPlatform platform;
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
