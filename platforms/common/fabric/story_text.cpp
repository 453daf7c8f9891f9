// The story as text: three tables one below the other, and what is told only if there is something.
#include <fmt/format.h>

#include "platforms/common/congestion/congestion_output.h"
#include "platforms/common/fabric/story.h"

namespace railyard {

namespace {

constexpr double kThousand = 1000;

/// A time of microseconds with four digits or so, in the unit that suits it.
std::string time_text(double us) {
  if (us >= kThousand * kThousand) return fmt::format("{:.3f} s", us / kThousand / kThousand);
  if (us >= kThousand) return fmt::format("{:.3f} ms", us / kThousand);
  return fmt::format("{:.2f} us", us);
}

std::string times_line(const char* label, const Story::Times& times) {
  return fmt::format("{:<16}{:>13}{:>13}{:>13}{:>13}\n", label, time_text(times.least),
                     time_text(times.median), time_text(times.p99), time_text(times.most));
}

std::string events_line(const char* label, const Story::Events& events) {
  if (!events.happened) return fmt::format("{:<16}{:>13}\n", label, "none");
  return fmt::format("{:<16}{:>13}{:>13}  {}\n", label, events.count, time_text(events.first),
                     events.where);
}

std::string flows_text(const Story& story) {
  std::string text =
      fmt::format("{}: {} of {} finished", story.traffic, story.finished, story.flows);
  if (story.failed > 0) text += fmt::format(", {} ended with an error", story.failed);
  text += fmt::format("\n{:<16}{:.1f} of {:g} Gb/s ({:.1f} %), Jain's fairness {:.3f}\n", "goodput",
                      story.goodput_gbps, story.line_gbps,
                      100 * story.goodput_gbps / story.line_gbps, story.fairness);
  if (story.wrong_bytes > 0) {
    text += fmt::format("{:<16}{} bytes arrived otherwise than they were sent\n", "data",
                        story.wrong_bytes);
  }
  return text;
}

std::string times_text(const Story& story) {
  if (!story.completion && !story.message) return "";
  std::string text =
      fmt::format("\n{:<16}{:>13}{:>13}{:>13}{:>13}\n", "", "least", "median", "99 %", "most");
  if (story.completion) text += times_line("flow completion", *story.completion);
  if (story.message) text += times_line("message", *story.message);
  return text;
}

std::string events_text(const Story& story) {
  std::string text = fmt::format("\n{:<16}{:>13}{:>13}  {}\n", "", "count", "first after", "at");
  text += events_line("marks", story.mark);
  text += events_line("CNPs", story.cnp);
  text += events_line("XOFFs", story.xoff);
  text += fmt::format("{:<16}{:>13}", "drops", story.dropped + story.overflowed);
  if (story.overflowed > 0) text += fmt::format(", {} by receivers", story.overflowed);
  if (story.repeated > 0) text += fmt::format("; {} packets were sent again", story.repeated);
  text += '\n';
  if (story.cyclic_ports > 0) {
    text += fmt::format("{:<16}{:>13} egress ports can wait for each other for ever\n", "deadlock",
                        story.cyclic_ports);
  }
  return text;
}

}  // namespace

std::string story_text(const Story& story, const CongestionReport& congestion) {
  std::string text = flows_text(story) + times_text(story) + events_text(story);
  const std::string pauses = congestion_text(congestion);
  return pauses.empty() ? text : text + "\n" + pauses;
}

}  // namespace railyard
