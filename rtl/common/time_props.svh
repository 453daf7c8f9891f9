// What every proof takes to hold of reset and time, for a block of parameter TimeW with now_i,
// quiet_o, wake_valid_o and wake_o. Included by <block>_props.svh.
//
// Time is that of a gated clock; a clock that runs freely is the case in which it steps by one.
// After a quiet cycle the clock may rest, to any time not past wake_o.
  initial assume (!rst_ni);

  logic             running;  // the cycle before was out of reset too: past_* mean something
  logic [TimeW-1:0] past_now, past_sleep;
  logic             past_quiet, past_wake_valid;
  logic [TimeW-1:0] ahead;  // cycles since the clock's edge before this one
  always_ff @(posedge clk_i) begin
    running         <= rst_ni;
    past_now        <= now_i;
    past_sleep      <= wake_o - now_i;
    past_quiet      <= quiet_o;
    past_wake_valid <= wake_valid_o;
  end
  assign ahead = now_i - past_now;

  `RY_ASSUME(TimeSteps, !running || ahead == TimeW'(1) ||
             (past_quiet && ahead != '0 && !ahead[TimeW-1] &&
              (!past_wake_valid || ahead <= past_sleep)))
  `RY_COVER(TheClockRests, running && ahead > TimeW'(2))

  // Nothing to do before wake_o, now_i may still move.
  logic before_wake;
  logic [TimeW-1:0] to_wake;
  assign to_wake     = wake_o - now_i;
  assign before_wake = !wake_valid_o || (to_wake != '0 && !to_wake[TimeW-1]);
