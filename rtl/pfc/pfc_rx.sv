`include "rtl/common/assert.svh"

// Reception of PFC: eight pause timers (IEEE 802.1Qbb 36, IEEE 802.3 annex 31D).
//
// A frame is taken in any cycle. Stage 1 turns quanta into cycles (one multiplier a priority),
// stage 2 sets the timers: paused_o follows the edge that takes the frame by one cycle, and stays
// for round(quanta * quantum_i) cycles. A quanta of zero ends a pause. A later frame's word
// replaces an earlier one's. clear_i forgets all, frames in stage 1 included.
//
// PAUSE (all priorities) is a frame with all of enable_i and equal quanta.
module pfc_rx #(
    parameter int unsigned NumPrio = railyard_pkg::NumPrio,
    parameter int unsigned TimeW   = railyard_pkg::TimeWidth,
    parameter int unsigned QuantaW = 16,
    parameter int unsigned IntW    = 10,  // of quantum_i, before the point
    parameter int unsigned FracW   = 16   // and behind it
) (
    input logic clk_i,
    input logic rst_ni,

    input logic [     TimeW-1:0] now_i,      // cycles
    input logic [IntW+FracW-1:0] quantum_i,  // cycles of 512 bit times, fixed point

    input logic                       clear_i,        // the link went down
    input logic                       frame_valid_i,
    input logic [        NumPrio-1:0] enable_i,       // class-enable vector
    input logic [NumPrio*QuantaW-1:0] quanta_i,       // priority 0 lowest

    output logic [NumPrio-1:0] paused_o,

    output logic             quiet_o,       // no register would change at the next edge
    output logic             wake_valid_o,  // if quiet: without new inputs, none changes before it
    output logic [TimeW-1:0] wake_o
);
  // {a word is to set the timer, the timer runs}
  typedef enum logic [1:0] {
    StOpen   = 2'b00,
    StPaused = 2'b01,
    StSet    = 2'b10,  // a word came
    StRenew  = 2'b11   // another word came: a longer pause, a shorter one, or its end
  } state_e;

  localparam int unsigned CyclesW = QuantaW + IntW;  // of the longest pause
  localparam int unsigned ProductW = CyclesW + FracW;

  if (CyclesW + 1 >= TimeW) begin : g_too_narrow
    $fatal(1, "%m: a pause of %0d bits does not fit into half of a time of %0d", CyclesW, TimeW);
  end

  logic [NumPrio-1:0] set_q;     // stage 1: priorities whose timer is to be set
  logic [NumPrio-1:0] paused_q;  // stage 2: timers that run
  logic [NumPrio-1:0] expired;

  logic [NumPrio*TimeW-1:0] ends;  // until_q of all

  // `a` is not earlier than `b`.
  function automatic logic reached(input logic [TimeW-1:0] a, input logic [TimeW-1:0] b);
    logic [TimeW-1:0] ahead;
    ahead = a - b;
    reached = !ahead[TimeW-1];
  endfunction

  for (genvar p = 0; p < NumPrio; p++) begin : g_prio
    // Stage 1. Rounded to the nearest cycle, halves up.
    logic [ProductW-1:0] product;
    logic                set_d;
    logic [ CyclesW-1:0] cycles_d, cycles_q;
    assign product  = ProductW'(quanta_i[p*QuantaW +: QuantaW]) * ProductW'(quantum_i) +
                      (ProductW'(1) << (FracW - 1));
    assign set_d    = frame_valid_i && enable_i[p] && !clear_i;
    assign cycles_d = set_d ? CyclesW'(product >> FracW) : cycles_q;

    // Stage 2. until_q means something while paused_q. The state is by name, for waveforms.
    state_e           state;
    logic             paused_d;
    logic [TimeW-1:0] until_d, until_q;
    assign expired[p] = paused_q[p] && reached(now_i, until_q);

    always_comb begin
      unique case ({set_q[p], paused_q[p]})
        2'b00:   state = StOpen;
        2'b01:   state = StPaused;
        2'b10:   state = StSet;
        default: state = StRenew;
      endcase
    end

    always_comb begin
      paused_d = paused_q[p] && !expired[p];
      until_d  = until_q;
      if (state == StSet || state == StRenew) begin
        paused_d = cycles_q != '0;
        until_d  = now_i + TimeW'(cycles_q);
      end
      if (clear_i) paused_d = 1'b0;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        set_q[p]    <= 1'b0;
        cycles_q    <= '0;
        paused_q[p] <= 1'b0;
        until_q     <= '0;
      end else begin
        set_q[p]    <= set_d;
        cycles_q    <= cycles_d;
        paused_q[p] <= paused_d;
        until_q     <= until_d;
      end
    end

    assign ends[p*TimeW +: TimeW] = until_q;

    `RY_ASSERT(NoPauseOfNoTime, paused_d && set_q[p], cycles_q != '0)
  end

  assign paused_o = paused_q;
  assign quiet_o  = !(frame_valid_i && !clear_i && enable_i != '0) && set_q == '0 &&
                    expired == '0 && !(clear_i && paused_q != '0);

  // The earliest end of a pause; now, while a frame is in stage 1.
  always_comb begin
    wake_valid_o = 1'b0;
    wake_o       = now_i;
    for (int unsigned p = 0; p < NumPrio; p++) begin
      if (paused_q[p] && (!wake_valid_o || !reached(ends[p*TimeW +: TimeW], wake_o))) begin
        wake_valid_o = 1'b1;
        wake_o       = ends[p*TimeW +: TimeW];
      end
    end
    if (set_q != '0) begin
      wake_valid_o = 1'b1;
      wake_o       = now_i;
    end
  end

  `RY_ASSERT(PausedIsQuietUntilItsEnd, quiet_o, (paused_q & expired) == '0 && set_q == '0)
  `RY_ASSERT(APauseHasAnEnd, paused_q != '0, wake_valid_o)
  `RY_ASSERT(AFrameInStageOneWakes, set_q != '0, wake_valid_o && wake_o == now_i)

`ifdef RY_PROPS
`include "rtl/pfc/pfc_rx_props.svh"
`endif
endmodule
