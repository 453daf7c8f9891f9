`include "rtl/common/assert.svh"

// Rate limiter of many QPs: from the bytes that a QP sends to the time at which it may send again.
//
// Each packet takes bytes * interval cycles of its QP. Its context is the time up to which its
// packets so far take it: next. A packet that is sent at time t makes it max(next, t - burst_i) +
// bytes * interval, and the QP may send again at the first whole cycle that is not before it. The
// fraction stays, so that no error adds up. A QP that sends late may so catch up, by at most burst_i
// cycles; how late it is counts from the whole cycle. An opening forgets what was before: it makes
// next t + bytes * interval, whatever the context says, for a new QP (of no bytes) or for one that
// is to send the rest of what it owes at another rate.
//
// One packet is taken a cycle. Stage 1 multiplies and reads the context, stage 2 adds and writes,
// stage 3 is the output: the answer comes three cycles after the packet. A read of what stage 2
// writes gets the new value.
//
// Stamps are shorter than time and wrap. So that an old one never looks new, a scan visits all
// contexts once in a quarter of a stamp's range, in slots that are a function of now_i, and clears
// those that are later than burst_i: a context that is not valid is one that is that late. While
// none is valid no scan is needed, and none wakes the block.
//
// After reset the block clears its contexts, one a cycle, and takes no packet until it has.
module pacer #(
    parameter int unsigned NumQps = 16,  // contexts, a power of two
    parameter int unsigned TimeW  = railyard_pkg::TimeWidth,
    parameter int unsigned BytesW = 16,
    parameter int unsigned IntW   = 14,  // of an interval, before the point
    parameter int unsigned FracW  = 24,  // and behind it
    parameter int unsigned StampW = BytesW + IntW + 2,
    parameter int unsigned IndexW = $clog2(NumQps)
) (
    input logic clk_i,
    input logic rst_ni,

    input logic [ TimeW-1:0] now_i,    // cycles
    input logic [StampW-4:0] burst_i,  // cycles that may be caught up

    input  logic                  tx_valid_i,     // a packet is sent now
    input  logic                  tx_open_i,      // or what is owed from now on is this
    input  logic [    IndexW-1:0] tx_index_i,
    input  logic [    BytesW-1:0] tx_bytes_i,
    input  logic [IntW+FracW-1:0] tx_interval_i,  // cycles a byte, fixed point
    output logic                  tx_ready_o,

    output logic              next_valid_o,  // three cycles later
    output logic [IndexW-1:0] next_index_o,
    output logic [ TimeW-1:0] next_at_o,     // when it may send again; past: at once

    output logic             quiet_o,       // no register would change at the next edge
    output logic             wake_valid_o,  // if quiet: without new inputs, none changes before it
    output logic [TimeW-1:0] wake_o
);
  localparam int unsigned ProductW = BytesW + IntW + FracW;
  localparam int unsigned PointW   = StampW + FracW;       // a time with its fraction
  localparam int unsigned ContextW = PointW + 1;           // {valid, next}
  localparam int unsigned ScanW    = StampW - 2 - IndexW;  // log2 of the cycles from scan to scan
  localparam int unsigned ToStage2 = 2;                    // cycles since the packet was taken

  if (StampW >= TimeW || StampW < BytesW + IntW + 2 || IndexW + 3 > StampW) begin : g_widths
    $fatal(1, "%m: widths do not fit");
  end
  if (NumQps != 2 ** IndexW) begin : g_size
    $fatal(1, "%m: a size that is no power of two does not fit");
  end

  logic [IndexW:0] init_d, init_q;  // contexts that are cleared
  logic            init_done;
  assign init_done = init_q[IndexW];
  assign init_d    = init_q + (init_done ? '0 : (IndexW + 1)'(1));

  // Stage 0: a packet, or else a scan.
  logic [IndexW:0] fresh_d, fresh_q;  // valid contexts
  logic            scan, take;
  assign scan       = init_done && now_i[ScanW-1:0] == '0 && fresh_q != '0;
  assign tx_ready_o = init_done && !scan;
  assign take       = tx_valid_i && tx_ready_o;

  // Stage 1.
  logic                  s1_valid_q, s1_scan_q, s1_open_q;
  logic [    IndexW-1:0] s1_index_q;
  logic [    BytesW-1:0] s1_bytes_q;
  logic [IntW+FracW-1:0] s1_interval_q;

  // Stage 2.
  logic                s2_valid_q, s2_scan_q, s2_open_q;
  logic [  IndexW-1:0] s2_index_q;
  logic [ProductW-1:0] s2_product_q;
  logic                bypass_q;  // stage 2 wrote what was read
  logic [ContextW-1:0] bypass_data_q;
  logic [ContextW-1:0] read_q;    // of the memory

  logic [ContextW-1:0] context_now, write_data;
  logic                is_fresh, behind, clear, write;
  logic [  IndexW-1:0] write_index;
  logic [   TimeW-1:0] sent;
  logic [  StampW-1:0] sent_stamp, whole, late, to_next;
  logic [  PointW-1:0] base, next;
  assign sent        = now_i - TimeW'(ToStage2);
  assign sent_stamp  = sent[StampW-1:0];
  assign write       = !init_done || s2_valid_q || clear;
  assign write_index = init_done ? s2_index_q : init_q[IndexW-1:0];
  assign write_data  = s2_valid_q ? {1'b1, next} : '0;
  assign fresh_d = fresh_q + (IndexW + 1)'(s2_valid_q && !is_fresh) - (IndexW + 1)'(clear);

  // The first whole cycle that is not before it.
  function automatic logic [StampW-1:0] rounded_up(input logic [PointW-1:0] point);
    rounded_up = point[PointW-1:FracW] + StampW'(point[FracW-1:0] != '0);
  endfunction

  // Without a packet and a scan the arithmetic stands at zero.
  always_comb begin
    context_now               = '0;
    {whole, late, to_next}    = '0;
    {base, next}              = '0;
    {is_fresh, behind, clear} = '0;
    if (s2_valid_q || s2_scan_q) begin
      context_now = bypass_q ? bypass_data_q : read_q;
      is_fresh    = context_now[PointW];
      whole       = rounded_up(context_now[PointW-1:0]);
      late        = sent_stamp - whole;
      behind      = !late[StampW-1] && late > StampW'(burst_i);
      base        = s2_open_q ? {sent_stamp, FracW'(0)} :
                    is_fresh && !behind ? context_now[PointW-1:0] :
                    {sent_stamp - StampW'(burst_i), FracW'(0)};
      next        = base + PointW'(s2_product_q);
      to_next     = rounded_up(next) - sent_stamp;
      clear       = s2_scan_q && is_fresh && behind;
    end
  end

  logic [ContextW-1:0] contexts[0:NumQps-1];
  always_ff @(posedge clk_i) begin
    if (write) contexts[write_index] <= write_data;
    if (s1_valid_q || s1_scan_q) read_q <= contexts[s1_index_q];
  end

  // Stage 3.
  logic              next_valid_q;
  logic [IndexW-1:0] next_index_q;
  logic [ TimeW-1:0] next_at_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      init_q        <= '0;
      fresh_q       <= '0;
      s1_valid_q    <= 1'b0;
      s1_scan_q     <= 1'b0;
      s1_open_q     <= 1'b0;
      s1_index_q    <= '0;
      s1_bytes_q    <= '0;
      s1_interval_q <= '0;
      s2_valid_q    <= 1'b0;
      s2_scan_q     <= 1'b0;
      s2_open_q     <= 1'b0;
      s2_index_q    <= '0;
      s2_product_q  <= '0;
      bypass_q      <= 1'b0;
      bypass_data_q <= '0;
      next_valid_q  <= 1'b0;
      next_index_q  <= '0;
      next_at_q     <= '0;
    end else begin
      init_q       <= init_d;
      fresh_q      <= fresh_d;
      s1_valid_q   <= take;
      s1_scan_q    <= scan;
      s1_open_q    <= take && tx_open_i;
      s2_valid_q   <= s1_valid_q;
      s2_scan_q    <= s1_scan_q;
      s2_open_q    <= s1_open_q;
      next_valid_q <= s2_valid_q;
      if (take || scan) s1_index_q <= scan ? now_i[ScanW+:IndexW] : tx_index_i;
      if (take) begin
        s1_bytes_q    <= tx_bytes_i;
        s1_interval_q <= tx_interval_i;
      end
      if (s1_valid_q) s2_product_q <= ProductW'(s1_bytes_q) * ProductW'(s1_interval_q);
      if (s1_valid_q || s1_scan_q) begin
        s2_index_q    <= s1_index_q;
        bypass_q      <= write && write_index == s1_index_q;
        bypass_data_q <= write_data;
      end
      if (s2_valid_q) begin
        next_index_q <= s2_index_q;
        next_at_q    <= sent + {{(TimeW - StampW) {to_next[StampW-1]}}, to_next};
      end
    end
  end

  assign next_valid_o = next_valid_q;
  assign next_index_o = next_index_q;
  assign next_at_o    = next_at_q;

  assign quiet_o = init_done && !take && !scan && !s1_valid_q && !s1_scan_q && !s2_valid_q &&
                   !s2_scan_q && !next_valid_q;
  assign wake_valid_o = fresh_q != '0;
  assign wake_o       = now_i + TimeW'({1'b0, ~now_i[ScanW-1:0]}) + TimeW'(1);  // the next scan

  `RY_ASSERT(AClearedContextWasCounted, clear, fresh_q != '0)
  `RY_ASSERT(EitherPacketOrScan, 1'b1, !(s2_valid_q && s2_scan_q))

`ifdef RY_PROPS
`include "rtl/pacer/pacer_props.svh"
`endif
endmodule
