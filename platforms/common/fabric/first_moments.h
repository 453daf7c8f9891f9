// When and where it first happened: an XOFF, a mark, a CNP, of all ports of a fabric.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "tlm/base/time.h"
#include "tlm/observe/probe.h"
#include "tlm/sim/simulation.h"

namespace railyard {

/// The first of all moments of one last name.
class FirstMoment {
 public:
  /// `name` is the last of the moments' names: "xoff". Made once all modules are there; the
  /// simulation ends before it does.
  FirstMoment(const std::string& name, Simulation& simulation);
  FirstMoment(const FirstMoment&) = delete;
  FirstMoment& operator=(const FirstMoment&) = delete;

  bool happened() const { return first() != nullptr; }
  /// kForever: it has not happened.
  Time at() const;
  /// Who raised it, "sw0.port8"; of several at one time the shortest name, then the least. Empty:
  /// nobody.
  std::string where() const;

 private:
  struct Place {
    std::string name;
    Time at = kForever;
    Moment::Listener told;
  };
  const Place* first() const;

  std::deque<Place> places_;  // moments point into it
};

/// Adds total.first_xoff_us and its like. What is given outlives the last use of metrics.
void register_first(StatisticsRegistry& statistics, const std::string& name,
                    const std::string& what, const FirstMoment& first);

}  // namespace railyard
