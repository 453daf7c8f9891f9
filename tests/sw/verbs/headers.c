/* Debian's header in C: what its macros and inline functions call must be there. Nothing runs it. */
#include <infiniband/verbs.h>

int verbs_headers_in_c(struct ibv_context *context, struct ibv_pd *pd, void *memory, int access);

int verbs_headers_in_c(struct ibv_context *context, struct ibv_pd *pd, void *memory, int access)
{
	struct ibv_port_attr port;
	struct ibv_device_attr_ex device;
	struct ibv_gid_entry gid;
	struct ibv_qp_init_attr_ex init = {.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd};
	struct ibv_srq_init_attr_ex srq = {.comp_mask = IBV_SRQ_INIT_ATTR_PD, .pd = pd};

	if (ibv_query_port(context, 1, &port) || ibv_query_device_ex(context, NULL, &device))
		return 1;
	if (ibv_query_gid_ex(context, 1, 0, &gid, 0) || ibv_query_gid_table(context, &gid, 1, 0) != 1)
		return 2;
	if (ibv_create_qp_ex(context, &init) || ibv_create_srq_ex(context, &srq))
		return 3;
	if (!ibv_reg_mr(pd, memory, 64, IBV_ACCESS_LOCAL_WRITE) || !ibv_reg_mr(pd, memory, 64, access))
		return 4;
	if (!ibv_reg_mr_iova(pd, memory, 64, (uintptr_t)memory, access))
		return 5;
	return ibv_alloc_mw(pd, IBV_MW_TYPE_1) != NULL;
}
