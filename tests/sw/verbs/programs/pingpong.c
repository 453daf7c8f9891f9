/*
 * Ping-pong between two hosts over a reliable connection, written against <infiniband/verbs.h> and
 * the C library alone.
 *
 * The client sends a message, the server sends it back, and so on. Each checks every byte that it
 * gets. There is no other network to exchange addresses over: each is told those of the other.
 *
 *   pingpong server|client -g GID -q QPN [-p PSN] [-P PSN] [-s BYTES] [-n ROUNDS] [-r DEPTH]
 *            [-m MTU] [-d DEVICE] [-e]
 *
 * -g  the other's GID, 32 hexadecimal digits, with colons or not
 * -q  the other's queue pair number
 * -p  where our packet sequence numbers begin, -P where the other's do
 * -r  receives that are posted ahead
 * -e  sleep until a completion event in place of polling
 */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

enum { RECEIVE_ID = 1, SEND_ID = 2 };

struct options {
	int is_server;
	int use_events;
	union ibv_gid remote_gid;
	uint32_t remote_qpn;
	uint32_t local_psn;
	uint32_t remote_psn;
	uint32_t size;
	unsigned rounds;
	unsigned depth;
	int mtu;
	const char *device;
};

struct pingpong {
	struct options options;
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	unsigned char *memory; /* what is sent, then what is received */
	unsigned events;
};

static void fail(const char *what)
{
	fprintf(stderr, "pingpong: %s\n", what);
	exit(1);
}

static int parse_gid(const char *text, union ibv_gid *gid)
{
	int digits = 0;

	memset(gid, 0, sizeof *gid);
	for (; *text; text++) {
		int value;

		if (*text == ':')
			continue;
		if (!isxdigit((unsigned char)*text) || digits == 32)
			return -1;
		value = isdigit((unsigned char)*text) ? *text - '0'
						      : tolower((unsigned char)*text) - 'a' + 10;
		gid->raw[digits / 2] |= (uint8_t)(digits % 2 ? value : value << 4);
		digits++;
	}
	return digits == 32 ? 0 : -1;
}

static enum ibv_mtu mtu_value(int bytes)
{
	switch (bytes) {
	case 256:
		return IBV_MTU_256;
	case 512:
		return IBV_MTU_512;
	case 1024:
		return IBV_MTU_1024;
	case 2048:
		return IBV_MTU_2048;
	case 4096:
		return IBV_MTU_4096;
	default:
		fail("an MTU is 256, 512, 1024, 2048 or 4096");
		return IBV_MTU_256;
	}
}

static void parse(struct options *o, int argc, char **argv)
{
	int option;
	int have_gid = 0;

	memset(o, 0, sizeof *o);
	o->size = 4096;
	o->rounds = 100;
	o->depth = 16;
	o->mtu = 1024;
	while ((option = getopt(argc, argv, "g:q:p:P:s:n:r:m:d:e")) != -1) {
		switch (option) {
		case 'g':
			if (parse_gid(optarg, &o->remote_gid))
				fail("a GID has 32 hexadecimal digits");
			have_gid = 1;
			break;
		case 'q':
			o->remote_qpn = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'p':
			o->local_psn = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'P':
			o->remote_psn = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 's':
			o->size = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'n':
			o->rounds = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'r':
			o->depth = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'm':
			o->mtu = atoi(optarg);
			break;
		case 'd':
			o->device = optarg;
			break;
		case 'e':
			o->use_events = 1;
			break;
		default:
			fail("unknown option");
		}
	}
	if (optind + 1 != argc || !have_gid || !o->remote_qpn)
		fail("needs server or client, -g and -q");
	o->is_server = !strcmp(argv[optind], "server");
	if (!o->is_server && strcmp(argv[optind], "client"))
		fail("is server or client");
	if (!o->size || !o->depth)
		fail("a message and a depth are not zero");
}

static void open_device(struct pingpong *p)
{
	int count;
	struct ibv_device **list = ibv_get_device_list(&count);
	struct ibv_device *device = NULL;

	for (int i = 0; list && i < count && !device; i++) {
		if (!p->options.device || !strcmp(ibv_get_device_name(list[i]), p->options.device))
			device = list[i];
	}
	if (!device)
		fail("no such device");
	p->context = ibv_open_device(device);
	if (!p->context)
		fail("the device cannot be opened");
	ibv_free_device_list(list);
}

static void check_port(struct pingpong *p)
{
	struct ibv_port_attr port;
	union ibv_gid gid;

	if (ibv_query_port(p->context, 1, &port) || ibv_query_gid(p->context, 1, 0, &gid))
		fail("the port cannot be asked");
	if (port.state != IBV_PORT_ACTIVE) {
		fprintf(stderr, "pingpong: port 1 is %s\n", ibv_port_state_str(port.state));
		exit(1);
	}
	if (port.active_mtu < mtu_value(p->options.mtu))
		fail("the port's MTU is smaller");
}

static void make_objects(struct pingpong *p)
{
	const struct options *o = &p->options;
	struct ibv_qp_init_attr init = {
		.cap = {.max_send_wr = 1,
			.max_recv_wr = o->depth,
			.max_send_sge = 1,
			.max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
	};

	if (o->use_events) {
		p->channel = ibv_create_comp_channel(p->context);
		if (!p->channel)
			fail("no completion channel");
	}
	p->pd = ibv_alloc_pd(p->context);
	p->memory = calloc(2, o->size);
	if (!p->pd || !p->memory)
		fail("no protection domain or no memory");
	p->mr = ibv_reg_mr(p->pd, p->memory, 2 * (size_t)o->size, IBV_ACCESS_LOCAL_WRITE);
	p->cq = ibv_create_cq(p->context, (int)o->depth + 1, NULL, p->channel, 0);
	if (!p->mr || !p->cq)
		fail("no memory region or no completion queue");
	init.send_cq = p->cq;
	init.recv_cq = p->cq;
	p->qp = ibv_create_qp(p->pd, &init);
	if (!p->qp)
		fail("no queue pair");
	printf("queue pair 0x%06x\n", p->qp->qp_num);
}

static void to_init(struct pingpong *p)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};

	if (ibv_modify_qp(p->qp, &attr,
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		fail("the queue pair does not go to INIT");
}

static void connect_qp(struct pingpong *p)
{
	const struct options *o = &p->options;
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu_value(o->mtu),
		.dest_qp_num = o->remote_qpn,
		.rq_psn = o->remote_psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {.is_global = 1,
			    .port_num = 1,
			    .grh = {.dgid = o->remote_gid, .hop_limit = 64}},
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = o->local_psn,
		.max_rd_atomic = 1,
	};

	if (ibv_modify_qp(p->qp, &rtr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				  IBV_QP_MIN_RNR_TIMER))
		fail("the queue pair does not go to RTR");
	if (ibv_modify_qp(p->qp, &rts,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		fail("the queue pair does not go to RTS");
}

static void post_receive(struct pingpong *p)
{
	struct ibv_sge sge = {.addr = (uintptr_t)p->memory + p->options.size,
			      .length = p->options.size,
			      .lkey = p->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = RECEIVE_ID, .sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad;

	if (ibv_post_recv(p->qp, &wr, &bad))
		fail("a receive is not taken");
}

/* What both know of a round's message. */
static unsigned char expected(unsigned round, uint32_t at)
{
	return (unsigned char)(round * 31 + at * 7 + (at >> 8));
}

static void post_send(struct pingpong *p, unsigned round)
{
	struct ibv_sge sge = {.addr = (uintptr_t)p->memory,
			      .length = p->options.size,
			      .lkey = p->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = SEND_ID,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED};
	struct ibv_send_wr *bad;

	for (uint32_t i = 0; i < p->options.size; i++)
		p->memory[i] = expected(round, i);
	if (ibv_post_send(p->qp, &wr, &bad))
		fail("a send is not taken");
}

static void check(const struct pingpong *p, unsigned round, const struct ibv_wc *wc)
{
	const unsigned char *received = p->memory + p->options.size;

	if (wc->byte_len != p->options.size)
		fail("a message has another length");
	for (uint32_t i = 0; i < p->options.size; i++) {
		if (received[i] != expected(round, i)) {
			fprintf(stderr, "pingpong: round %u, byte %" PRIu32 ": %02x, not %02x\n",
				round, i, received[i], expected(round, i));
			exit(1);
		}
	}
}

static void wait_for_event(struct pingpong *p)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(p->channel, &cq, &context))
		fail("no completion event");
	if (cq != p->cq)
		fail("an event of another queue");
	p->events++;
	if (ibv_req_notify_cq(p->cq, 0))
		fail("no notification");
}

/* At least one completion. */
static int completions(struct pingpong *p, struct ibv_wc *wc, int most)
{
	for (;;) {
		int count = ibv_poll_cq(p->cq, most, wc);

		if (count < 0)
			fail("the completion queue cannot be polled");
		if (count > 0)
			return count;
		if (p->options.use_events)
			wait_for_event(p);
	}
}

static void run(struct pingpong *p)
{
	unsigned sent = 0, send_done = 0, received = 0;
	unsigned rounds = p->options.rounds;

	if (!p->options.is_server && rounds)
		post_send(p, sent++);
	while (received < rounds || send_done < rounds) {
		struct ibv_wc wc[2];
		int count = completions(p, wc, 2);

		for (int i = 0; i < count; i++) {
			if (wc[i].status != IBV_WC_SUCCESS) {
				fprintf(stderr, "pingpong: %s of %s\n",
					ibv_wc_status_str(wc[i].status),
					wc[i].wr_id == SEND_ID ? "a send" : "a receive");
				exit(1);
			}
			if (wc[i].wr_id == SEND_ID) {
				send_done++;
			} else {
				check(p, received++, &wc[i]);
				post_receive(p);
			}
		}
		/* The client is one ahead; nothing is overwritten that is being sent. */
		if (sent < rounds && sent == send_done &&
		    received == (p->options.is_server ? sent + 1 : sent))
			post_send(p, sent++);
	}
}

static void destroy(struct pingpong *p)
{
	if (p->events)
		ibv_ack_cq_events(p->cq, p->events);
	if (ibv_destroy_qp(p->qp) || ibv_destroy_cq(p->cq) || ibv_dereg_mr(p->mr) ||
	    ibv_dealloc_pd(p->pd))
		fail("an object is not destroyed");
	if (p->channel && ibv_destroy_comp_channel(p->channel))
		fail("the channel is not destroyed");
	if (ibv_close_device(p->context))
		fail("the device is not closed");
	free(p->memory);
}

int main(int argc, char **argv)
{
	struct pingpong p;

	memset(&p, 0, sizeof p);
	parse(&p.options, argc, argv);
	open_device(&p);
	check_port(&p);
	make_objects(&p);
	to_init(&p);
	for (unsigned i = 0; i < p.options.depth; i++)
		post_receive(&p);
	if (p.options.use_events && ibv_req_notify_cq(p.cq, 0))
		fail("no notification");
	connect_qp(&p);
	run(&p);
	printf("%u rounds of %" PRIu32 " B, all bytes as expected\n", p.options.rounds,
	       p.options.size);
	destroy(&p);
	return 0;
}
