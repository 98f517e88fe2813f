/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running and waiting threads on a live screen: the options of `vitrine top', and its start.
 */
#ifndef _VITRINE_TOP_H
#define _VITRINE_TOP_H

#include <stdbool.h>

/**
 * struct top_args - the options of `vitrine top'
 * @interval: seconds between two refreshes
 * @once: print one report and exit
 * @json: print JSON, with @once
 */
struct top_args {
	double interval;
	bool once;
	bool json;
};

int top_run(const struct top_args *args);

#endif /* _VITRINE_TOP_H */
