/* Counts in a global while simulated time passes; the count is the exit status. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int counter = 100;
static int step;

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	int times = 0;
	int option;

	while ((option = getopt(argc, argv, "n:s:")) != -1) {
		if (option == 'n')
			times = atoi(optarg);
		else if (option == 's')
			step = atoi(optarg);
		else
			return 1;
	}
	if (!list || !list[0])
		return 2;
	context = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	if (!context)
		return 3;
	for (int i = 0; i < times; i++) {
		counter += step;
		if (!ibv_alloc_pd(context))
			return 4;
	}
	fprintf(stderr, "%s: %d\n", ibv_get_device_name(context->device), counter);
	return counter;
}
