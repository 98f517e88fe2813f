// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of debugfs.c, kernel only: a setting is neither shown nor changed while
 * another one is being changed. selftests/bad_arguments.sh and others test the rest.
 */
#include "suite.h"

static unsigned int nr_shown, nr_set;

static int show_held(struct seq_file *seq)
{
	nr_shown += mutex_is_locked(&settings_mutex);
	return 0;
}

static int set_held(char *words)
{
	nr_set += mutex_is_locked(&settings_mutex);
	return 0;
}

static void a_setting_is_shown_and_set_under_its_mutex(struct kunit *test)
{
	static const struct setting held = { "held", show_held, set_held };
	struct seq_file seq = { .private = (void *)&held };
	char words[] = " none\n";
	struct inode *inode;
	struct file *file;
	loff_t pos = 0;

	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "kernel threads of UML cannot copy from user space");
	inode = zalloc(test, sizeof(*inode));
	file = zalloc(test, sizeof(*file));
	inode->i_private = (void *)&held;
	file->f_inode = inode;
	nr_shown = 0;
	nr_set = 0;
	KUNIT_EXPECT_EQ(test, setting_show(&seq, NULL), 0);
	KUNIT_EXPECT_EQ(test, nr_shown, 1);
	KUNIT_EXPECT_EQ(test, setting_set(&held, words), 0);
	KUNIT_EXPECT_EQ(test, nr_set, 1);
	KUNIT_EXPECT_EQ(test, setting_write(file, NULL, 0, &pos), -EINVAL);
	KUNIT_EXPECT_EQ(test, nr_set, 1);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&settings_mutex));
}

static struct kunit_case debugfs_cases[] = {
	KUNIT_CASE(a_setting_is_shown_and_set_under_its_mutex),
	{}
};

VTR_KUNIT_SUITE(debugfs);
