// Whole periods that have elapsed, and the rest, without a divider: a product with
// floor(2^W / period) is the quotient or one less, so one correction makes it exact.
//
// 2^W cycles or more, and what is behind (an alias of more than half of the range of time), start
// afresh: the count is the largest and the rest is zero, or both are zero.
module dcqcn_rp_periods #(
    parameter int unsigned TimeW = railyard_pkg::TimeWidth,
    parameter int unsigned W     = 32
) (
    input  logic [TimeW-1:0] elapsed_i,  // cycles
    input  logic [    W-1:0] period_i,   // cycles, 2 to 2^(W-1)
    input  logic [    W-1:0] recip_i,    // floor(2^W / period_i)
    output logic [    W-1:0] count_o,
    output logic [    W-1:0] rest_o
);
  logic [2*W-1:0] product, taken;
  logic [  W-1:0] guess, rest;
  assign product = (2*W)'(elapsed_i[W-1:0]) * (2*W)'(recip_i);
  assign guess   = product[2*W-1:W];
  assign taken   = (2*W)'(guess) * (2*W)'(period_i);
  assign rest    = elapsed_i[W-1:0] - taken[W-1:0];

  always_comb begin
    count_o = guess;
    rest_o  = rest;
    if (rest >= period_i) begin
      count_o = guess + W'(1);
      rest_o  = rest - period_i;
    end
    if (elapsed_i[TimeW-1:W] != '0) begin
      count_o = elapsed_i[TimeW-1] ? '0 : '1;
      rest_o  = '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, product[W-1:0], taken[2*W-1:W]};
endmodule
