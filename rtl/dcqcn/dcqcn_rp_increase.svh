// Any number of increases as one map: R_T += sum, and R_T - R_C = (R_T - R_C) / 2^halvings + lag.
// The step c of one increase adds c to the sum; the lag becomes (lag + c) / 2. So m equal steps
// leave a lag of c * (1 - 2^-m), and steps c * (from + 1), c * (from + 2), ... leave
// c * (from + m - 1) - c * (from - 1) * 2^-m. Fractions are cut off: each of the terms is less than
// 2^-12 Mb/s too small.
  localparam int unsigned StepF = 12;  // of a rate, behind the point
  localparam int unsigned SumW  = 48;  // of sums, Mb/s
  localparam int unsigned StepW = 16 + StageW + 1 + StepF;

  function automatic logic [5:0] shift_of(input logic [CountW+1:0] n);
    shift_of = n > (CountW + 2)'(63) ? 6'd63 : n[5:0];
  endfunction

  function automatic logic [2*TargetW+5:0] increase_of(  // {sum, lag, halvings}: UQ22.12 Mb/s
      input logic [      15:0] ai,   // Mb/s
      input logic [      15:0] hai,  // Mb/s
      input logic [CountW-1:0] recover,
      input logic [CountW-1:0] add,
      input logic [StageW-1:0] grow,
      input logic [StageW-1:0] from,
      input logic [CountW-1:0] hyper,
      input logic [StageW-1:0] steady,
      input logic              byte_event,  // one more, at the end
      input logic              byte_add,
      input logic [StageW-1:0] byte_hyper);
    logic [    StepW-1:0] step, steady_step, grown, grown_from, byte_step, lag, fall;
    logic [          5:0] halvings_grow, halvings_hyper;
    logic [     SumW-1:0] steps, sum;
    logic [SumW+StepF-1:0] scaled;
    logic [  TargetW-1:0] total, end_lag;
    halvings_grow  = shift_of((CountW + 2)'(grow));
    halvings_hyper = shift_of((CountW + 2)'(hyper));

    step        = StepW'(ai) << StepF;
    steady_step = (StepW'(hai) * StepW'(steady)) << StepF;
    grown       = (StepW'(hai) * (StepW'(from) + StepW'(grow) - StepW'(1))) << StepF;
    grown_from  = (StepW'(hai) * (StepW'(from) - StepW'(1))) << StepF;
    byte_step   = !byte_add ? '0 :
                  byte_hyper == '0 ? step : (StepW'(hai) * StepW'(byte_hyper)) << StepF;

    lag = step - (step >> shift_of((CountW + 2)'(add)));
    // A first step of 1: from - 1 is below zero.
    fall = from == '0 ? StepW'(0) - ((StepW'(hai) << StepF) >> halvings_grow) :
                        grown_from >> halvings_grow;
    lag  = grow == '0 ? lag : (lag >> halvings_grow) + grown - fall;
    lag  = (lag >> halvings_hyper) + steady_step - (steady_step >> halvings_hyper);
    lag  = byte_event ? (lag >> 1) + (byte_step >> 1) : lag;

    // Of hyper increase, the sum of all multiples.
    steps  = SumW'(grow) * SumW'(from) + ((SumW'(grow) * (SumW'(grow) + SumW'(1))) >> 1) +
             SumW'(steady) * SumW'(hyper);
    sum    = SumW'(ai) * SumW'(add) + SumW'(hai) * steps;
    scaled = ((SumW + StepF)'(sum) << StepF) + (byte_event ? (SumW + StepF)'(byte_step) : '0);
    total  = scaled[SumW+StepF-1:TargetW] != '0 ? '1 : scaled[TargetW-1:0];

    // The lag is at most the sum.
    end_lag     = (SumW + StepF)'(lag) > (SumW + StepF)'(total) ? total : TargetW'(lag);
    increase_of = {total, end_lag,
                   shift_of((CountW + 2)'(recover) + (CountW + 2)'(add) + (CountW + 2)'(grow) +
                            (CountW + 2)'(hyper) + (CountW + 2)'(byte_event))};
  endfunction
