// Proofs of dcqcn_rp_queue, without any assumption: a CNP that was taken is followed from the cycle
// after, place by place, until it enters.
  initial assume (!rst_ni);

  (* anyseq *) logic follow;  // this one
  logic             followed;
  logic [QpW-1:0]   followed_qp;
  logic [      1:0] place;  // CNPs before it
  logic [      3:0] age;    // cycles since it was taken
  logic             leaves;
  assign leaves = followed && take_cnp_o && place == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      followed    <= 1'b0;
      followed_qp <= '0;
      place       <= '0;
      age         <= '0;
    end else if (!followed || leaves) begin
      followed    <= push && follow;
      followed_qp <= cnp_qp_i;
      place       <= 2'(waiting_d - 3'd1);
      age         <= '0;
    end else begin
      age <= age + 4'd1;
      if (take_cnp_o) place <= place - 2'd1;
    end
  end

  logic [QpW-1:0] at_place;
  assign at_place = QpW'(cnps_q >> (4'(place) * 4'(QpW)));

  `RY_ASSERT(ACnpEntersWithinSevenCycles, followed, age < 4'd7)
  `RY_ASSERT(ACnpEntersAsItWasTaken, leaves, cnp_qp_o == followed_qp)
  `RY_ASSERT(ACnpIsNeverLost, followed, 3'(place) < waiting_q && at_place == followed_qp)
  `RY_ASSERT(BytesHaveEverySecondCycle, tx_valid_i && !take_tx_o, passed_q)
  // An invariant that carries the induction: what is left fits into what has not passed.
  `RY_ASSERT(TheRestIsShort, followed,
             5'(age) + 5'd2 * (5'(place) + 5'd1) <= 5'd7 + 5'(passed_q))

  `RY_COVER(ACnpWaitsSixCycles, followed && age == 4'd6)
  `RY_COVER(ACnpEntersAtOnce, leaves && age == '0)
  `RY_COVER(AFullQueue, waiting_q == 3'd4 && take_cnp_o && cnp_valid_i)
