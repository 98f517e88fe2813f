// SPDX-License-Identifier: GPL-2.0
/*
 * Calls with arguments of a wrong type: only the calls of number 0 compile.
 */
#include <vitrine/inspect.h>

static __maybe_unused
void call(struct vitrine_tree *tree, struct vitrine_uint *number, struct vitrine_double *real,
	  struct vitrine_percpu_uint *counter, struct vitrine_percpu_histogram *histogram)
{
#if CALL == 0
	vitrine_delete(number);
	vitrine_delete(real);
	vitrine_percpu_delete(counter);
	vitrine_percpu_delete(histogram);
	vitrine_double_set(real, vitrine_double_from_int(3));
#elif CALL == 1
	vitrine_delete(tree);
#elif CALL == 2
	vitrine_delete(counter);
#elif CALL == 3
	vitrine_delete((void *)number);
#elif CALL == 4
	vitrine_percpu_delete(number);
#elif CALL == 5
	vitrine_double_set(real, 3);
#elif CALL == 6
	vitrine_double_create(vitrine_tree_root(tree), "real", 3);
#endif
}
