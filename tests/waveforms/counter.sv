// Counts while enabled and says in which state it is: something to trace in the tests of the
// trace writers. `break_i` makes its assertion fail.
module counter (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       en_i,
  input  logic       break_i,
  output logic [7:0] count_o
);

  typedef enum logic [1:0] {
    StIdle = 2'd0,
    StCount = 2'd1,
    StFull = 2'd2
  } state_e;

  state_e state_d, state_q;
  logic [7:0] count_d, count_q;

  always_comb begin
    state_d = state_q;
    count_d = count_q;
    unique case (state_q)
      StIdle: if (en_i) state_d = StCount;
      StCount: begin
        count_d = count_q + 8'd1;
        if (count_d == 8'hff) state_d = StFull;
        else if (!en_i) state_d = StIdle;
      end
      StFull: state_d = StFull;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      count_q <= '0;
    end else begin
      state_q <= state_d;
      count_q <= count_d;
    end
  end

  assign count_o = count_q;

  NotBroken_A: assert property (@(posedge clk_i) !break_i)
  else $error("count %0d", count_q);

endmodule
