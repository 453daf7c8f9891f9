`include "rtl/common/assert.svh"

// The notification point: which packets with CE are answered by a CNP, and when it is sent.
//
// A packet with CE comes with the index of a context: of its QP, of an address or of a port, as the
// owner chooses the scope. It makes a CNP due if none of that context was due within interval_i
// cycles; the CNP is offered delay_i cycles later. One packet is taken a cycle.
//
// A context is a time stamp in a memory with one read and one write port. Whether the interval has
// passed is decided lazily, when a packet comes: stage 0 reads, stage 1 compares and writes; a read
// of what stage 1 writes gets the new value. Stamps are shorter than time and wrap. So that a stale
// one never looks fresh, a scan visits all contexts once in a quarter of a stamp's range, in slots
// that are a function of now_i, and clears those whose interval has passed: a valid stamp is
// younger than half of the range. While no context is valid no scan is needed, and none wakes the block.
//
// CNPs that wait for their delay stand in a FIFO. While it is full no packet is taken (ce_ready_o):
// one that is turned away begins no interval, so no CNP is lost; the next packet makes it.
//
// After reset the block clears its contexts, one a cycle, and takes no packet until it has.
module dcqcn_np #(
    parameter int unsigned NumQps    = 16,      // contexts, a power of two
    parameter int unsigned FifoDepth = NumQps,  // a power of two, and one more at the output
    parameter int unsigned TimeW     = railyard_pkg::TimeWidth,
    parameter int unsigned StampW    = 32,
    parameter int unsigned DelayW    = 20,
    parameter int unsigned IndexW    = $clog2(NumQps)
) (
    input logic clk_i,
    input logic rst_ni,

    input logic [   TimeW-1:0] now_i,       // cycles
    input logic [  StampW-3:0] interval_i,  // cycles; 0: each packet makes a CNP
    input logic [  DelayW-1:0] delay_i,     // cycles; 0 and 1 are as 2

    input  logic              ce_valid_i,
    input  logic [IndexW-1:0] ce_index_i,
    output logic              ce_ready_o,

    input  logic              cnp_ready_i,
    output logic              cnp_valid_o,
    output logic [IndexW-1:0] cnp_index_o,

    output logic             quiet_o,       // no register would change at the next edge
    output logic             wake_valid_o,  // if quiet: without new inputs, none changes before it
    output logic [TimeW-1:0] wake_o
);
  localparam int unsigned ContextW = StampW + 1;           // {valid, stamp}
  localparam int unsigned ScanW    = StampW - 2 - IndexW;  // log2 of the cycles from scan to scan
  localparam int unsigned PointW   = $clog2(FifoDepth);
  localparam int unsigned EntryW   = TimeW + IndexW;       // {due time, index}

  if (StampW > TimeW || IndexW + 3 > StampW || DelayW >= TimeW) begin : g_widths
    $fatal(1, "%m: widths do not fit");
  end
  if (NumQps != 2 ** IndexW || FifoDepth != 2 ** PointW || FifoDepth < 2) begin : g_sizes
    $fatal(1, "%m: a size that is no power of two does not fit");
  end

  logic [IndexW:0] init_d, init_q;  // contexts that are cleared
  logic            init_done;
  assign init_done = init_q[IndexW];
  assign init_d    = init_q + (init_done ? '0 : (IndexW + 1)'(1));

  // Stage 0: a packet, or else a scan, reads its context.
  logic [IndexW:0] fresh_d, fresh_q;  // valid contexts
  logic            scan, take, room;
  assign scan       = init_done && now_i[ScanW-1:0] == '0 && fresh_q != '0;
  assign ce_ready_o = init_done && !scan && room;
  assign take       = ce_valid_i && ce_ready_o;

  logic                s1_valid_q;  // a packet
  logic                s1_scan_q;   // a scan
  logic [  IndexW-1:0] s1_index_d, s1_index_q;
  logic                bypass_q;    // stage 1 wrote what was read
  logic [ContextW-1:0] bypass_data_q;
  logic [ContextW-1:0] read_q;      // of the memory
  assign s1_index_d = scan ? now_i[ScanW+:IndexW] : ce_index_i;

  // Stage 1: is a CNP due, is the stamp of no more use.
  logic [ContextW-1:0] context_now, write_data;
  logic                is_fresh, passed, due, clear, write;
  logic [  IndexW-1:0] write_index;
  logic [  StampW-1:0] age;
  assign context_now = bypass_q ? bypass_data_q : read_q;
  assign is_fresh    = context_now[StampW];
  assign age         = now_i[StampW-1:0] - context_now[StampW-1:0];
  assign passed      = age >= StampW'(interval_i);
  assign due         = s1_valid_q && (!is_fresh || passed);
  assign clear       = s1_scan_q && is_fresh && passed;
  assign write       = !init_done || due || clear;
  assign write_index = init_done ? s1_index_q : init_q[IndexW-1:0];
  assign write_data  = due ? {1'b1, now_i[StampW-1:0]} : '0;
  assign fresh_d     = fresh_q + (IndexW + 1)'(due && !is_fresh) - (IndexW + 1)'(clear);

  logic [ContextW-1:0] contexts[0:NumQps-1];
  always_ff @(posedge clk_i) begin
    if (write) contexts[write_index] <= write_data;
    if (take || scan) read_q <= contexts[s1_index_d];
  end

  // The delay.
  logic [  EntryW-1:0] waiting[0:FifoDepth-1];
  logic [  PointW-1:0] write_at_q, read_at_q;
  logic [    PointW:0] count_d, count_q;
  logic                head_valid_d, head_valid_q, load, pop;
  logic [  EntryW-1:0] head_q;
  logic [   TimeW-1:0] head_at, since_head;
  assign room         = count_q + (PointW + 1)'(s1_valid_q) < (PointW + 1)'(FifoDepth);
  assign head_at      = head_q[EntryW-1:IndexW];
  assign since_head   = now_i - head_at;
  assign cnp_valid_o  = head_valid_q && !since_head[TimeW-1];
  assign cnp_index_o  = head_q[IndexW-1:0];
  assign pop          = cnp_valid_o && cnp_ready_i;
  assign load         = count_q != '0 && (!head_valid_q || pop);
  assign count_d      = count_q + (PointW + 1)'(due) - (PointW + 1)'(load);
  assign head_valid_d = load || (head_valid_q && !pop);
  always_ff @(posedge clk_i) begin
    if (due) waiting[write_at_q] <= {now_i + TimeW'(delay_i), s1_index_q};
    if (load) head_q <= waiting[read_at_q];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      init_q        <= '0;
      fresh_q       <= '0;
      s1_valid_q    <= 1'b0;
      s1_scan_q     <= 1'b0;
      s1_index_q    <= '0;
      bypass_q      <= 1'b0;
      bypass_data_q <= '0;
      write_at_q    <= '0;
      read_at_q     <= '0;
      count_q       <= '0;
      head_valid_q  <= 1'b0;
    end else begin
      init_q       <= init_d;
      fresh_q      <= fresh_d;
      s1_valid_q   <= take;
      s1_scan_q    <= scan;
      count_q      <= count_d;
      head_valid_q <= head_valid_d;
      if (take || scan) begin
        s1_index_q    <= s1_index_d;
        bypass_q      <= write && write_index == s1_index_d;
        bypass_data_q <= write_data;
      end
      if (due) write_at_q <= write_at_q + PointW'(1);
      if (load) read_at_q <= read_at_q + PointW'(1);
    end
  end

  assign quiet_o = init_done && !take && !scan && !s1_valid_q && !s1_scan_q && !load && !pop;

  // The CNP at the output, or the next scan, whichever is earlier.
  logic             head_waits, head_first;
  logic [TimeW-1:0] to_head, to_scan;
  assign head_waits   = head_valid_q && since_head[TimeW-1];
  assign to_head      = head_at - now_i;
  assign to_scan      = TimeW'({1'b0, ~now_i[ScanW-1:0]}) + TimeW'(1);
  assign wake_valid_o = head_waits || fresh_q != '0;
  assign head_first   = head_waits && (fresh_q == '0 || to_head < to_scan);
  assign wake_o       = now_i + (head_first ? to_head : to_scan);

  `RY_ASSERT(NoCnpIsLost, due, count_q < (PointW + 1)'(FifoDepth))
  `RY_ASSERT(AClearedContextWasCounted, clear, fresh_q != '0)
  `RY_ASSERT(EitherPacketOrScan, 1'b1, !(s1_valid_q && s1_scan_q))

`ifdef RY_PROPS
`include "rtl/dcqcn/dcqcn_np_props.svh"
`endif
endmodule
