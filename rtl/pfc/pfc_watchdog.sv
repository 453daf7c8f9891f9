`include "rtl/common/assert.svh"

// PFC watchdog of one port: finds queues that a storm of PFC frames holds back for too long, and
// tells when the storm is over. Eight priorities, each by itself.
//
// A storm: for detection_i cycles since the onset the queue is occupied, nothing is dequeued from
// it, and it is paused but for gaps of at most forgiven_i cycles: each gap, and together all those
// between two polls. The onset is the cycle in which the queue is first seen blocked (watched,
// occupied and paused); a dequeue of a paused queue and a gap that is too long begin anew. A storm
// is found at the first poll at or after onset + detection_i: storm_o follows that cycle's edge. It
// is over at the first poll at which no XOFF has arrived for restoration_i cycles.
//
// A poll is a cycle in which now_i has reached poll_at_i. In every cycle the owner gives the first
// time of its grid that is not earlier than now_i, a function of now_i alone: so a cycle is or is
// no poll, whichever cycles before it were skipped. While anything is watched wake_o is poll_at_i.
//
// Levels are sampled: a gap is longer or shorter by up to a cycle than the pauses round it say.
module pfc_watchdog #(
    parameter int unsigned TimeW   = railyard_pkg::TimeWidth,
    parameter int unsigned NumPrio = railyard_pkg::NumPrio
) (
    input logic clk_i,
    input logic rst_ni,

    input logic [TimeW-1:0] now_i,          // cycles
    input logic [TimeW-1:0] detection_i,    // cycles, less than 2^(TimeW-1)
    input logic [TimeW-1:0] restoration_i,  // cycles, less than 2^(TimeW-1)
    input logic [TimeW-1:0] forgiven_i,     // cycles, less than 2^(TimeW-1)
    input logic [TimeW-1:0] poll_at_i,      // of polls at most 2^(TimeW-2) apart

    input logic [NumPrio-1:0] enable_i,    // watched priorities
    input logic [NumPrio-1:0] paused_i,
    input logic [NumPrio-1:0] occupied_i,  // the egress queue holds a frame
    input logic [NumPrio-1:0] dequeued_i,  // a frame was taken out since the last cycle
    input logic [NumPrio-1:0] xoff_i,      // a frame that pauses it arrived since the last cycle

    output logic [NumPrio-1:0] storm_o,

    output logic             quiet_o,       // no register would change at the next edge
    output logic             wake_valid_o,  // without new inputs, none changes before wake_o
    output logic [TimeW-1:0] wake_o
);
  typedef enum logic [1:0] {
    StIdle  = 2'b00,  // nothing to watch
    StWatch = 2'b01,  // blocked since the onset, gaps aside
    StGap   = 2'b10,  // not paused, perhaps not for long
    StStorm = 2'b11
  } state_e;

  logic [  TimeW-1:0] past_poll;
  logic               poll;
  logic [NumPrio-1:0] acts, active;
  assign past_poll = now_i - poll_at_i;
  assign poll      = !past_poll[TimeW-1];

  for (genvar p = 0; p < NumPrio; p++) begin : g_prio
    state_e           state_d, state_q;
    logic [TimeW-1:0] since_d, since_q;    // the onset; in a storm its begin or the latest XOFF
    logic [TimeW-1:0] gap_at_d, gap_at_q;  // begin of the gap in StGap
    // Gaps since the latest poll, the one in StGap not counted. When a poll divides that one it is
    // less than zero by the part before the poll, so that their sum is what came after.
    logic [TimeW-1:0] gaps_d, gaps_q;

    logic             blocked;  // as a queue in a storm is
    logic             held;     // blocked, or in a gap
    logic [TimeW-1:0] lasted, gap, gaps;
    logic             forgiven, anew;
    assign blocked  = enable_i[p] && occupied_i[p] && paused_i[p];
    assign held     = enable_i[p] && occupied_i[p] && !dequeued_i[p];
    assign lasted   = now_i - since_q;
    assign gap      = now_i - gap_at_q;
    assign gaps     = gaps_q + gap;
    assign forgiven = gap <= forgiven_i && gaps <= forgiven_i;

    always_comb begin
      state_d  = state_q;
      since_d  = since_q;
      gap_at_d = gap_at_q;
      gaps_d   = gaps_q;
      anew     = 1'b0;
      unique case (state_q)
        StIdle: anew = blocked;
        StWatch: begin
          if (poll) gaps_d = '0;
          if (!held) begin
            anew = 1'b1;
          end else if (poll && lasted >= detection_i) begin
            state_d = StStorm;
            since_d = now_i;
          end else if (!paused_i[p]) begin
            state_d  = StGap;
            gap_at_d = now_i;
          end
        end
        StGap: begin
          // A gap is judged when it ends, and at polls: until then it needs no clock.
          if (!held || ((paused_i[p] || poll) && !forgiven)) begin
            anew = 1'b1;
          end else if (poll && lasted >= detection_i) begin
            state_d = StStorm;
            since_d = now_i;
          end else if (paused_i[p]) begin
            state_d = StWatch;
            gaps_d  = poll ? '0 : gaps;
          end else if (poll) begin
            gaps_d = gap_at_q - now_i;
          end
        end
        default: begin  // StStorm
          if (xoff_i[p]) since_d = now_i;
          anew = !enable_i[p] || (poll && !xoff_i[p] && lasted >= restoration_i);
        end
      endcase
      if (anew) begin
        state_d = blocked ? StWatch : StIdle;
        since_d = now_i;
        gaps_d  = '0;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q  <= StIdle;
        since_q  <= '0;
        gap_at_q <= '0;
        gaps_q   <= '0;
      end else begin
        state_q  <= state_d;
        since_q  <= since_d;
        gap_at_q <= gap_at_d;
        gaps_q   <= gaps_d;
      end
    end

    assign acts[p] = anew || state_d != state_q || (state_q == StWatch && poll && gaps_q != '0) ||
                     (state_q == StGap && poll) || (state_q == StStorm && xoff_i[p]);
    assign active[p]  = state_q != StIdle;
    assign storm_o[p] = state_q == StStorm;
  end

  assign quiet_o      = acts == '0;
  assign wake_valid_o = active != '0;
  assign wake_o       = poll_at_i;

`ifdef RY_PROPS
`include "rtl/pfc/pfc_watchdog_props.svh"
`endif
endmodule
