#include "tlm/base/format.h"

namespace railyard {

std::string format_time(Time time) {
  struct Unit {
    Time size;
    const char* name;
  };
  constexpr Unit kUnits[] = {{kSecond, "s"},
                             {kMillisecond, "ms"},
                             {kMicrosecond, "us"},
                             {kNanosecond, "ns"}};
  for (const Unit& unit : kUnits) {
    if (time != 0 && time % unit.size == 0) return std::to_string(time / unit.size) + unit.name;
  }
  return std::to_string(time) + "ps";
}

}  // namespace railyard
