`include "rtl/common/assert.svh"

// Generation of PFC: from the levels of eight priority groups to XOFF and XON, for one port.
//
// A group's depth above xoff_th_i asks for XOFF, at or below xon_th_i for XON; in between things
// stay as they are. What is asked for is seen in want_q after the edge that samples the depth. A
// frame is due (tx_valid_o) while what the peer was told differs from what is wanted, and again
// refresh_i cycles after the latest frame while any priority is paused. The MAC takes the frame
// with tx_ready_i; it says what is wanted in that cycle, so what was overtaken is never sent.
// clear_i: the link went down, the peer has forgotten what it was told.
module pfc_gen #(
    parameter int unsigned NumPrio = railyard_pkg::NumPrio,
    parameter int unsigned TimeW   = railyard_pkg::TimeWidth,
    parameter int unsigned DepthW  = 32
) (
    input logic clk_i,
    input logic rst_ni,

    input logic [TimeW-1:0] now_i,      // cycles
    input logic [TimeW-1:0] refresh_i,  // cycles to a repetition, 1 .. 2^(TimeW-1) - 1

    input logic [       NumPrio-1:0] enable_i,   // lossless priorities
    input logic [NumPrio*DepthW-1:0] depth_i,    // cells beyond the reserve; priority 0 lowest
    input logic [NumPrio*DepthW-1:0] xoff_th_i,  // cells
    input logic [NumPrio*DepthW-1:0] xon_th_i,   // cells, at most xoff_th_i

    input  logic               clear_i,
    input  logic               tx_ready_i,
    output logic               tx_valid_o,
    output logic [NumPrio-1:0] tx_enable_o,   // class-enable vector
    output logic [NumPrio-1:0] tx_xoff_o,     // of those, XOFF; the others XON
    output logic               tx_refresh_o,  // the frame only repeats

    output logic             quiet_o,       // no register would change at the next edge
    output logic             wake_valid_o,  // if quiet: without new inputs, none changes before it
    output logic [TimeW-1:0] wake_o
);
  // {wanted, told}
  typedef enum logic [1:0] {
    StOpen   = 2'b00,
    StToXon  = 2'b01,  // XON is to be sent
    StToXoff = 2'b10,  // XOFF is to be sent
    StXoff   = 2'b11
  } state_e;

  logic [NumPrio-1:0] want_d, want_q;
  logic [NumPrio-1:0] told_d, told_q;
  logic               again_d, again_q;  // a refresh is due
  logic [  TimeW-1:0] refresh_at_d, refresh_at_q;  // means something while told_q is not zero

  logic [NumPrio-1:0] crosses;
  logic               take, runs_out;
  logic [  TimeW-1:0] past_refresh;

  for (genvar p = 0; p < NumPrio; p++) begin : g_prio
    // By name, so that one priority's levels and state are read at a glance in a waveform.
    logic [DepthW-1:0] depth, xoff_th, xon_th;
    state_e            state;
    assign depth   = depth_i[p*DepthW +: DepthW];
    assign xoff_th = xoff_th_i[p*DepthW +: DepthW];
    assign xon_th  = xon_th_i[p*DepthW +: DepthW];
    always_comb begin
      unique case ({want_q[p], told_q[p]})
        2'b00:   state = StOpen;
        2'b01:   state = StToXon;
        2'b10:   state = StToXoff;
        default: state = StXoff;
      endcase
    end

    assign want_d[p]      = enable_i[p] && depth > (want_q[p] ? xon_th : xoff_th);
    assign crosses[p]     = want_d[p] != want_q[p];
    assign tx_enable_o[p] = state != StOpen;

    // The predicate by which a wrapper may leave the clock off when only a depth changed.
    `RY_ASSERT(SkippedDepthCrossesNothing,
               enable_i[p] && (want_q[p] ? depth > xon_th : depth <= xoff_th), !crosses[p])
  end

  assign tx_valid_o   = want_q != told_q || again_q;
  assign tx_xoff_o    = want_q;
  assign tx_refresh_o = want_q == told_q;
  assign take         = tx_valid_o && tx_ready_i;

  assign past_refresh = now_i - refresh_at_q;
  assign runs_out     = told_q != '0 && !again_q && !past_refresh[TimeW-1];

  always_comb begin
    told_d       = told_q;
    again_d      = again_q || runs_out;
    refresh_at_d = refresh_at_q;
    if (take) begin
      told_d       = want_q;
      again_d      = 1'b0;
      refresh_at_d = now_i + refresh_i;
    end
    if (clear_i) begin
      told_d  = '0;
      again_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      want_q       <= '0;
      told_q       <= '0;
      again_q      <= 1'b0;
      refresh_at_q <= '0;
    end else begin
      want_q       <= want_d;
      told_q       <= told_d;
      again_q      <= again_d;
      refresh_at_q <= refresh_at_d;
    end
  end

  assign quiet_o = crosses == '0 && !take && !runs_out && !(clear_i && (told_q != '0 || again_q));

  assign wake_valid_o = told_q != '0 && !again_q;
  assign wake_o       = refresh_at_q;

  `RY_ASSERT(RefreshOnlyOfWhatWasTold, again_q, told_q != '0)
  `RY_ASSERT(NoXonWithoutXoff, tx_valid_o, (tx_enable_o & ~tx_xoff_o & ~told_q) == '0)
  `RY_ASSERT(FrameHasAPriority, tx_valid_o, tx_enable_o != '0)
  `RY_ASSERT(RefreshIsAllXoff, tx_valid_o && tx_refresh_o, tx_xoff_o == tx_enable_o)

`ifdef RY_PROPS
`include "rtl/pfc/pfc_gen_props.svh"
`endif
endmodule
