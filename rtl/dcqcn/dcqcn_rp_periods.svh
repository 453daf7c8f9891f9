// Whole periods that have elapsed, and the rest, without a divider: a product with
// floor(2^PeriodW / period) is the quotient or one less, so one correction makes it exact. Includers
// have the widths TimeW and PeriodW.
//
// 2^PeriodW cycles or more, and what is behind (an alias of more than half of the range of time),
// start afresh: the count is the largest and the rest is zero, or both are zero.
  function automatic logic [2*PeriodW-1:0] periods_of(  // {count, rest}
      input logic [  TimeW-1:0] elapsed,  // cycles
      input logic [PeriodW-1:0] period,   // cycles, 2 to 2^(PeriodW-1)
      input logic [PeriodW-1:0] recip);   // floor(2^PeriodW / period)
    logic [PeriodW-1:0] count, rest;
    logic               over;
    count = PeriodW'(((2*PeriodW)'(elapsed[PeriodW-1:0]) * (2*PeriodW)'(recip)) >> PeriodW);
    rest  = elapsed[PeriodW-1:0] - PeriodW'(count * period);
    over  = rest >= period;
    periods_of = elapsed[TimeW-1]               ? '0 :
                 elapsed[TimeW-1:PeriodW] != '0 ? {{PeriodW{1'b1}}, {PeriodW{1'b0}}} :
                 {count + PeriodW'(over), over ? rest - period : rest};
  endfunction
