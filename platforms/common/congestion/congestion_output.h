// How congestion is told: in the JSON report and on stdout, bounded in size.
#pragma once

#include <string>

#include "platforms/common/congestion/congestion.h"

namespace railyard {

/// The report's block `congestion`; report.schema.json says its form.
std::string congestion_json(const CongestionReport& report);

/// A few lines of at most 80 columns for who reads a run's summary: the worst roots in a table, the
/// worst victims. Empty if nothing was paused.
std::string congestion_text(const CongestionReport& report);

}  // namespace railyard
