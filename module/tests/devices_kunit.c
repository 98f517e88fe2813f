// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of devices.c, kernel only: interfaces that appear after they have been
 * counted. selftests/trees.sh tests the rest.
 */
#include "published.h"

static void late_interfaces_are_counted(struct kunit *test)
{
	int nr = get_interfaces(NULL, 0);

	if (!IS_ENABLED(CONFIG_NET))
		kunit_skip(test, "CONFIG_NET is off");
	/* There is at least the loopback interface. */
	KUNIT_EXPECT_GE(test, nr, 1);
	KUNIT_EXPECT_EQ(test, record_interfaces(root, nr), 0);
	KUNIT_EXPECT_EQ(test, record_interfaces(root, nr - 1), 1);
	KUNIT_EXPECT_EQ(test, record_interfaces(root, 0), nr);
}

static struct kunit_case devices_cases[] = {
	KUNIT_CASE(late_interfaces_are_counted),
	{}
};

VTR_KUNIT_SUITE(devices, .init = published_init, .exit = published_exit);
