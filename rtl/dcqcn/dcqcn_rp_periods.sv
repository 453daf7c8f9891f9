// Whole periods that have elapsed, and the rest, without a divider: a product with
// floor(2^32 / period) is the quotient or one less, so one correction makes it exact.
//
// 2^32 cycles or more, and what is behind (an alias of more than half of the range of time), start
// afresh: the count is the largest and the rest is zero, or both are zero.
module dcqcn_rp_periods #(
    parameter int unsigned TimeW = railyard_pkg::TimeWidth
) (
    input  logic [TimeW-1:0] elapsed_i,  // cycles
    input  logic [     31:0] period_i,   // cycles, 2 to 2^31
    input  logic [     31:0] recip_i,    // floor(2^32 / period_i)
    output logic [     31:0] count_o,
    output logic [     31:0] rest_o
);
  logic [63:0] product, taken;
  logic [31:0] guess, rest;
  assign product = 64'(elapsed_i[31:0]) * 64'(recip_i);
  assign guess   = product[63:32];
  assign taken   = 64'(guess) * 64'(period_i);
  assign rest    = elapsed_i[31:0] - taken[31:0];

  always_comb begin
    count_o = guess;
    rest_o  = rest;
    if (rest >= period_i) begin
      count_o = guess + 32'd1;
      rest_o  = rest - period_i;
    end
    if (elapsed_i[TimeW-1:32] != '0) begin
      count_o = elapsed_i[TimeW-1] ? '0 : '1;
      rest_o  = '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, product[31:0], taken[63:32]};
endmodule
