// Numbers and text as a person reads them; quantities in the syntax that the configuration reads
// back (tlm/base/quantity.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tlm/base/quantity.h"
#include "tlm/base/rate.h"
#include "tlm/base/time.h"

namespace railyard {

/// The shortest exact form with a unit and no fraction: 1500 -> "1500ps", 2'000'000 -> "2us".
std::string format_time(Time time);

/// The shortest exact form, which parses to the same value: "1.6Tbps", or "32768/65Gbps" where no
/// decimal is exact.
std::string format_rate(Rate rate);
/// The shortest exact form: "9MB", "4KiB", "1.5KB".
std::string format_bytes(Bytes bytes);
/// The shortest exact form: "3m", "1.5km", "250um".
std::string format_length(Length length);
/// The shortest decimal that parses to the same double: "0.1", "1e-12".
std::string format_number(double number);

/// "0x1f".
std::string format_hex(std::uint64_t number);

/// `text` on one line of plain ASCII: every other byte becomes \xNN; what exceeds `limit`
/// characters is cut and ends in "...".
std::string printable(const std::string& text, std::size_t limit = 60);
/// The same between double quotes, for messages.
std::string quoted(const std::string& text);

}  // namespace railyard
