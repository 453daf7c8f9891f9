#include "hw/congestion/pause_sender.h"

#include <utility>

namespace railyard {

PauseSender::PauseSender(Partition& partition, const std::string& name, const net::MacAddress& mac,
                         Rate rate, std::uint16_t quanta, PauseLog& log, std::function<void()> wake)
    : partition_(partition),
      mac_(mac),
      quanta_(quanta),
      refresh_after_(rate.time_of(PauseTimers::kBytesAQuantum * quanta) / 2),
      log_(log),
      wake_(std::move(wake)),
      refresh_(Event::of<&PauseSender::refresh>(*this, partition.endpoint(name + ".pause_refresh"),
                                                Phase::kTimer)) {}

void PauseSender::want(std::uint8_t priorities) {
  if (priorities == wanted_) return;
  const Time now = partition_.now();
  for (unsigned left = priorities ^ wanted_; left != 0; left &= left - 1) {
    const auto p = static_cast<std::uint8_t>(__builtin_ctz(left));
    if ((priorities >> p & 1U) != 0) {
      log_.begin_sent({now, kForever, 0, p, PauseLog::kNoPort, false});
    } else {
      log_.end_sent(0, p, now);
    }
  }
  wanted_ = priorities;
  if (wanted_ == 0) partition_.scheduler().cancel(refresh_);
  if (due()) wake_();
}

void PauseSender::refresh() {
  refresh_due_ = true;
  wake_();
}

PauseSender::Sent PauseSender::make() {
  const Time now = partition_.now();
  std::array<std::uint16_t, PauseTimers::kPriorities> quanta{};
  for (unsigned left = wanted_; left != 0; left &= left - 1) quanta[__builtin_ctz(left)] = quanta_;
  Sent sent;
  sent.xoff = wanted_;
  sent.xon = static_cast<std::uint8_t>(told_ & ~wanted_);
  sent.packet = partition_.packets().packets.acquire();
  sent.packet->frame =
      net::pfc_frame(mac_, static_cast<std::uint8_t>(sent.xoff | sent.xon), quanta);
  sent.packet->created = now;
  sent.packet->seal();
  told_ = wanted_;
  refresh_due_ = false;
  if (wanted_ != 0) partition_.scheduler().schedule_in(refresh_, refresh_after_);
  return sent;
}

}  // namespace railyard
