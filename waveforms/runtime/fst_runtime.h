// What a joint FST needs beyond the public interface of Verilator's FST writer (5.006) and of
// gtkwave's fstapi inside it.
#pragma once

class VerilatedFst;

namespace railyard {

/// The fstapi writer of an open trace; null if it could not be opened.
void* fst_writer_of(VerilatedFst& trace);

/// Completes blocks of changes early; to be called when all is declared. fstapi gathers 128 MB,
/// which do not fit into a cache, and then follows chains through all of it: twice the time.
void fst_use_small_blocks(void* writer);

/// Writes all values emitted so far as a complete block. fstWriterFlushContext() only asks for it
/// at some later change of time. False after a write error.
bool fst_flush_now(void* writer);

/// Hands complete blocks to the operating system. False after a write error.
bool fst_sync(void* writer);

}  // namespace railyard
