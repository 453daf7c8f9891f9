// The two checkers of a link, and what a correct link would tell them; a test changes one thing.
#pragma once

#include <gmock/gmock.h>

#include <memory>

#include <systemc>

#include "hw/pcie/link_checker.h"
#include "tlm/base/rate.h"

namespace railyard::pcie {

struct CheckedLink {
  explicit CheckedLink(const LinkConfig& link_config = {}, const CreditConfig& credit_config = {})
      : config(link_config),
        forth("a to b", config, credit_config),
        back("b to a", config, credit_config),
        forth_line(config),
        back_line(config) {
    LinkChecker::pair(forth, back);
  }

  /// A line that counts with the clock that links use.
  struct Line {
    explicit Line(const LinkConfig& config) : clock(config.rate()) {}
    Time occupy(std::uint32_t bytes, Time now) {
      if (now != free) clock.start(now);
      free = clock.advance(bytes);
      return free;
    }
    ByteClock clock;
    Time free = -1;
  };

  TlpRef tlp(TlpType type = TlpType::kMemoryWrite, std::uint32_t bytes = 256, std::uint16_t tag = 0,
             bool relaxed = false) {
    TlpRef made = pool.acquire();
    made->type = type;
    made->bytes = bytes;
    made->bytes_left = made->is_completion() ? bytes : 0;
    made->address = 0x2'0000'0000;
    made->tag = tag;
    made->relaxed = relaxed;
    made->seal();
    return made;
  }

  /// Each of these is correct; the last bit's time is given back.
  Time send(const Tlp& sent, std::uint64_t sequence, Time now) {
    const Time end = forth_line.occupy(sent.wire_bytes, now);
    forth.sent(sent, sequence, false, now, end);
    return end;
  }
  Time replay(const Tlp& sent, std::uint64_t sequence, Time now) {
    const Time end = forth_line.occupy(sent.wire_bytes, now);
    forth.sent(sent, sequence, true, now, end);
    return end;
  }
  Time queue_and_send(const Tlp& sent, std::uint64_t sequence, Time now) {
    forth.queued(sent, now);
    return send(sent, sequence, now);
  }
  /// Until the receiver has accepted it; the time of its arrival.
  Time cross(const Tlp& sent, std::uint64_t sequence, Time now) {
    const Time at = queue_and_send(sent, sequence, now) + config.latency;
    forth.arrived(sent, sequence, true, at);
    forth.accepted(sent, at);
    return at;
  }
  Time reply(const Dllp& dllp, Time now) {
    const Time end = back_line.occupy(kDllpBytes, now);
    back.sent(dllp, now, end);
    return end;
  }
  Time cross_back(const Dllp& dllp, Time now, bool good = true) {
    const Time at = reply(dllp, now) + config.latency;
    back.arrived(dllp, good, at);
    return at;
  }
  static Dllp ack(std::uint64_t sequence, Dllp::Kind kind = Dllp::Kind::kAck) {
    Dllp dllp;
    dllp.kind = kind;
    dllp.sequence = sequence;
    return dllp;
  }
  static Dllp update(std::uint64_t headers, std::uint64_t data,
                     FlowClass flow_class = FlowClass::kPosted) {
    Dllp dllp;
    dllp.kind = Dllp::Kind::kUpdate;
    dllp.flow_class = flow_class;
    dllp.headers = headers;
    dllp.data = data;
    return dllp;
  }
  /// Between two skip ordered sets, or `blocks` of 130 bits on all lanes.
  Time skip_interval(std::uint32_t blocks = 370) const {
    return config.rate().time_of(std::uint64_t{blocks} * config.lanes * 16);
  }
  Time skip(Time now) {
    const Time end = forth_line.occupy(config.skip_bytes(), now);
    forth.sent_skip(now, end);
    return end;
  }
  void at_end(bool drained = true) {
    forth.at_end(kSecond, drained);
    back.at_end(kSecond, drained);
  }

  Pool<Tlp> pool;
  LinkConfig config;
  LinkChecker forth;
  LinkChecker back;
  Line forth_line;
  Line back_line;
};

/// Something that the checker must find, by a part of its text.
struct Violation {
  const char* found;
  void (*action)(CheckedLink& link);
};

/// `action` breaks an invariant whose text has `what`.
template <class Action>
void expect_found(Action action, const char* what) {
  try {
    action();
    ADD_FAILURE() << "not found: " << what;
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), testing::HasSubstr(what));
  }
}

inline void expect_each_found(const std::vector<Violation>& violations,
                              const LinkConfig& config = {}, const CreditConfig& credits = {}) {
  for (const Violation& v : violations) {
    CheckedLink link(config, credits);
    expect_found([&] { v.action(link); }, v.found);
  }
}

}  // namespace railyard::pcie
