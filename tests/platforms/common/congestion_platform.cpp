// A platform without a module that tells of pauses which `scene` makes up.
#include "platforms/common/congestion/congestion_output.h"
#include "platforms/common/platform.h"
#include "tests/platforms/common/congestion_support.h"

namespace railyard {

namespace {

enum class Scene { kNone, kTree, kCycle, kUnlogged, kMany };

constexpr Time kEnd = kMillisecond;

/// A slow receiver h1, seen from h0 through a switch; h2 sends elsewhere beside h0.
PausedFabric tree() {
  PausedFabric fabric;
  fabric.link("h0.nic0", "sw0.p0").link("h1.nic0", "sw0.p1").link("h2.nic0", "sw0.p2");
  fabric.pause("h1.nic0", kMicrosecond, 500 * kMicrosecond, "")
      .pause("sw0.p0", 2 * kMicrosecond, 400 * kMicrosecond, "sw0.p1", true)
      .flow("h0.nic0", {"sw0.p1"}, "h1.nic0")
      .flow("h0.nic0", {"sw0.p2"}, "h2.nic0");
  return fabric;
}

PausedFabric cycle(int switches) {
  PausedFabric fabric;
  const auto name = [&](int i) { return "r" + std::to_string(i % switches); };
  for (int i = 0; i < switches; ++i) fabric.link(name(i) + ".out", name(i + 1) + ".in");
  for (int i = 0; i < switches; ++i) fabric.pause(name(i) + ".in", 100, kForever, name(i) + ".out");
  return fabric;
}

/// 150 roots, each with 120 ports at depth 1, and 2,000 victims.
PausedFabric many() {
  constexpr int kPorts = 120;
  PausedFabric fabric;
  for (int i = 0; i < kPorts + 150; ++i) {
    fabric.link("h" + std::to_string(i) + ".nic0", "sw0.p" + std::to_string(i));
  }
  for (int root = 0; root < 150; ++root) {
    for (int port = 0; port < kPorts; ++port) {
      const Time begin = (root * 10 + 1) * kMicrosecond + port;
      fabric.pause("sw0.p" + std::to_string(port), begin, begin + kMicrosecond,
                   "sw0.p" + std::to_string(kPorts + root));
    }
  }
  for (int i = 0; i < 2000; ++i) {
    fabric.flow("h" + std::to_string(i % kPorts) + ".nic0", {"sw0.p5"}, "h5.nic0");
  }
  return fabric;
}

PausedFabric scene_of(Scene scene) {
  switch (scene) {
    case Scene::kNone:
      break;
    case Scene::kTree:
      return tree();
    case Scene::kCycle:
      return cycle(3);
    case Scene::kUnlogged:
      return tree().capacity(1).pause("sw0.p0", 600 * kMicrosecond, 700 * kMicrosecond, "sw0.p1");
    case Scene::kMany:
      return many();
  }
  return PausedFabric().link("h0.nic0", "h1.nic0");
}

class PausedPlatform : public Platform {
 public:
  std::string name() const override { return "paused"; }
  std::string doc() const override { return "Tells of pauses that are made up"; }
  std::string default_config() const override { return ""; }
  void declare(Parameters& p) override {
    p.choice("scene", scene_,
             {{"none", Scene::kNone},
              {"tree", Scene::kTree},
              {"cycle", Scene::kCycle},
              {"unlogged", Scene::kUnlogged},
              {"many", Scene::kMany}})
        .doc("What happened");
  }
  std::unique_ptr<Fabric> build(Simulation& /*simulation*/, const RunConfig& /*run*/) override {
    return std::make_unique<Told>(scene_of(scene_).analyse(kEnd));
  }

 private:
  class Told : public Fabric {
   public:
    explicit Told(CongestionReport report) : report_(std::move(report)) {}
    std::vector<std::string> summary() const override { return {}; }
    std::string text() const override { return congestion_text(report_); }
    const CongestionReport* congestion(Time /*now*/) override { return &report_; }

   private:
    CongestionReport report_;
  };

  Scene scene_ = Scene::kNone;
};

}  // namespace

}  // namespace railyard

int sc_main(int argc, char** argv) {
  railyard::PausedPlatform platform;
  return railyard::run_platform(platform, argc, argv);
}

int main(int argc, char** argv) { return railyard::main_of_platform(argc, argv); }
