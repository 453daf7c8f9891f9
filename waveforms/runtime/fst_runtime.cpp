// Verilator's FST writer, fstapi inside, and our access to it.
#include "waveforms/runtime/fst_runtime.h"

#include <verilated_fst_c.cpp>  // NOLINT: defines fstWriterContext, which no header shows

namespace railyard {

namespace {

// A private member may be named in an explicit instantiation ([temp.explicit]); the friend that
// comes with it hands it out.
template <auto kMember>
struct Access {
  friend void* writer_behind(VerilatedFst& trace) { return trace.*kMember; }
};
void* writer_behind(VerilatedFst& trace);
template struct Access<&VerilatedFst::m_fst>;

}  // namespace

void* fst_writer_of(VerilatedFst& trace) { return writer_behind(trace); }

void fst_use_small_blocks(void* writer) {
  // A block begins with the values of all signals (a byte a bit), which must stay a small part.
  auto* const context = static_cast<fstWriterContext*>(writer);
  context->fst_break_size = std::max<std::size_t>(1 << 21, 16 * std::size_t{context->maxvalpos});
}

bool fst_flush_now(void* writer) {
  auto* const context = static_cast<fstWriterContext*>(writer);
  if (!context->is_initial_time && context->vchg_siz > 1) {
    // What fstWriterEmitTimeChange() does when a flush is pending; the new block begins at the
    // time of the old one's end.
    fstWriterFlushContextPrivate(context);
    context->tchn_cnt++;
    fstWriterVarint(context->tchn_handle, context->curtime);
  }
  return fst_sync(writer);
}

bool fst_sync(void* writer) {
  auto* const context = static_cast<fstWriterContext*>(writer);
  return std::fflush(context->handle) == 0 && std::fflush(context->hier_handle) == 0 &&
         !std::ferror(context->handle) && !std::ferror(context->hier_handle);
}

}  // namespace railyard
