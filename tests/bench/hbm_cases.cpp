#include "tests/bench/hbm_cases.h"

#include <cstdint>
#include <vector>

#include <systemc>

#include "hw/hbm/controller.h"
#include "tlm/sim/random.h"
#include "tlm/sim/simulation.h"
#include "tlm/sim/starter.h"

namespace railyard::bench {

namespace {

constexpr std::uint32_t kAccess = 32;

/// Closed loop. One channel, with the queues of a controller by default, all-bank refresh.
struct Load {
  bool random = false;
  bool write = false;
  bool whole_h100 = false;
  std::uint32_t bytes = kAccess;
  unsigned outstanding = 128;
  std::uint64_t requests = 1'000'000;
};

hbm::HbmConfig config_of(const Load& load) {
  hbm::HbmConfig config = hbm::HbmConfig::of(hbm::HbmPreset::kH100);
  if (!load.whole_h100) {
    config.organisation.stacks = 1;
    config.organisation.channels = 1;
    config.organisation.sids = 1;
  }
  return config;
}

class Asker : public hbm::Client {
 public:
  Asker(hbm::Controller& controller, Partition& partition, const Load& load)
      : begin(Event::of<&Asker::start>(*this, partition.endpoint("asker"), Phase::kTimer)),
        controller_(controller),
        load_(load),
        slots_(controller.capacity() / load.bytes),
        random_(1, "bench"),
        accesses_(load.outstanding) {}

  void start() {
    for (hbm::Access& access : accesses_) {
      access.client = this;
      access.bytes = load_.bytes;
      access.write = load_.write;
      access_done(access);
    }
  }

  void access_done(hbm::Access& access) override {
    if (given_ == load_.requests) return;
    access.address = (load_.random ? random_.below(slots_) : given_ % slots_) * load_.bytes;
    ++given_;
    controller_.access(access);
  }

  Event begin;

 private:
  hbm::Controller& controller_;
  Load load_;
  std::uint64_t slots_;
  RandomStream random_;
  std::vector<hbm::Access> accesses_;
  std::uint64_t given_ = 0;
};

/// An operation is an access of 32 B, or as many bytes of a larger request.
Sample accesses(const Load& load) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  Simulation simulation{{}};
  hbm::Controller controller("hbm", simulation.partition(), config_of(load));
  Asker asker(controller, simulation.partition(), load);
  const Starter starter("starter", simulation.partition(), asker.begin);
  simulation.seal();
  Sample sample;
  sample.seconds = seconds_of([&] { simulation.run(kForever / 2); });
  sample.operations = load.requests * (load.bytes / kAccess);
  sample.kernel_events = simulation.kernel_events();
  return sample;
}

}  // namespace

std::vector<Case> hbm_cases() {
  constexpr double kBar = 12;  // raw kernel events of time an access
  const Load sequential;
  Load random = sequential;
  random.random = true;
  Load random_write = random;
  random_write.write = true;
  Load h100 = sequential;
  h100.whole_h100 = true;
  h100.outstanding = 128 * 80;
  h100.requests = 2'000'000;
  Load bulk = sequential;
  bulk.bytes = 1U << 16;
  bulk.outstanding = 1;
  bulk.requests = 500;
  return {
      {"hbm.sequential",
       "access",
       "Reads of 32 B one after the other, one channel of two pseudo-channels, 128 at once",
       kBar,
       {},
       [sequential] { return accesses(sequential); }},
      {"hbm.random",
       "access",
       "The same anywhere: an activate and a precharge each",
       kBar,
       {},
       [random] { return accesses(random); }},
      {"hbm.random_write",
       "access",
       "The same, writes",
       kBar,
       {},
       [random_write] { return accesses(random_write); }},
      {"hbm.h100_sequential",
       "access",
       "hbm.sequential over the 160 pseudo-channels of an H100, 10,240 at once",
       kBar,
       {},
       [h100] { return accesses(h100); }},
      {"hbm.bulk_64k",
       "access",
       "Reads of 64 KiB on one channel, one at a time: the time of 32 B of it",
       kBar,
       {},
       [bulk] { return accesses(bulk); }},
  };
}

}  // namespace railyard::bench
