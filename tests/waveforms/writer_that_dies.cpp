// writer_that_dies KIND PATH: writes until 1000 ps, flushes, writes on, says "ready", and waits for
// SIGKILL.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tests/waveforms/counter_rtl.h"
#include "tlm/net/packet.h"
#include "waveforms/capture_file.h"
#include "waveforms/rtl_context.h"
#include "waveforms/timeline_file.h"
#include "waveforms/trace_file.h"

namespace railyard {
namespace {

[[noreturn]] void wait_for_the_end() {
  std::puts("ready");
  std::fflush(stdout);
  while (true) ::pause();
}

void die_in_trace(const std::string& path) {
  RtlContext context;
  CounterRtl counter(context.get(), "rtl counter");
  Probe probe;
  ProbeRegistry registry;
  registry.add(probe, {"own.value", ProbeKind::kUnsigned, 16, "", "", {}});
  TraceFile file(path);
  file.add_model("rtl.counter", [&](VerilatedFstC& fst) { counter.trace(fst); });
  file.connect(registry);
  // Blocks of a millisecond: one that is complete, and a second that is not.
  for (std::uint64_t step = 0; step <= 2000; ++step) {
    const Time now = static_cast<Time>(step) * kMicrosecond;
    file.model_ticks(now);
    counter.reset(false);
    counter.enable(true);
    counter.clock(step % 2 == 1);
    probe.set(step, now);
    if (step == 500 || step == 1500) file.flush();
  }
  wait_for_the_end();
}

void die_in_timeline(const std::string& path) {
  SpanProbe lane;
  ProbeRegistry registry;
  registry.add(lane, {"a.b", ""});
  TimelineFile file(path);
  file.connect(registry);
  for (Time now = 0; now < 2000; ++now) {
    lane.span("work", now, now + 1, "n", static_cast<std::uint64_t>(now));
    if (now == 999) file.flush();
  }
  wait_for_the_end();
}

void die_in_capture(const std::string& path) {
  FrameTap tap;
  ProbeRegistry registry;
  registry.add(tap, {"a", "", 0});
  Time now = 0;
  CaptureFile file(path, [&] { return now; });
  file.connect(registry);
  net::PacketPool pool;
  const auto packet = pool.packets.acquire();
  packet->frame = net::pfc_frame({}, 1, {});
  packet->seal();
  for (; now < 2000; ++now) {
    tap.frame(Direction::kInbound, *packet, now);
    if (now == 1000) file.flush();
  }
  wait_for_the_end();
}

}  // namespace
}  // namespace railyard

// SystemC's library, which comes with tlm, has a main() that calls this.
extern "C" int sc_main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string kind = argv[1];
  if (kind == "trace") railyard::die_in_trace(argv[2]);
  if (kind == "capture") railyard::die_in_capture(argv[2]);
  if (kind == "timeline") railyard::die_in_timeline(argv[2]);
  return 2;
}
