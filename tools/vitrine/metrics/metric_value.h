/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of trees in the format of Prometheus.
 */
#ifndef _VITRINE_METRIC_VALUE_H
#define _VITRINE_METRIC_VALUE_H

#include "metric_name.h"
#include "metric_set.h"
#include "vitrine.h"

#define METRIC_NUMBER_BYTES	48
#define METRIC_SUM_DISTANCE	8	/* most siblings from a histogram to its sum */

void metric_format(char text[METRIC_NUMBER_BYTES],
		   const struct vitrine_value *value, unsigned int digits);
void metric_format_element(char text[METRIC_NUMBER_BYTES],
			   const struct vitrine_value *value, unsigned int i,
			   unsigned int digits);
bool metric_histogram_is_good(const struct vitrine_value *value);
const struct vitrine_value *
metric_histogram_add(struct metric_set *set, const struct vitrine_value *value,
		     const struct metric_unit *unit);

#endif /* _VITRINE_METRIC_VALUE_H */
