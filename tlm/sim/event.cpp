#include "tlm/sim/event.h"

#include "tlm/sim/event_queue.h"

namespace railyard {

void Event::leave() { queue_->take(*this); }

}  // namespace railyard
