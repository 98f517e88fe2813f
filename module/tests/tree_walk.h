/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random walks through tree.c and array.c beside a model, which
 * knows all values, their parents and whether they are recorded. After each step the tree
 * is compared with the model and all invariants are checked.
 *
 * A part of tree_kunit.c, which includes it after the helpers of both.
 */
#ifndef _VTR_TESTS_TREE_WALK_H
#define _VTR_TESTS_TREE_WALK_H

static bool is_buffer_type(enum inspect_type type)
{
	return type == INSPECT_BUFFER_VALUE;
}

/* 24 names, of all interesting lengths, more than the table has slots. */
static const char *model_name(u32 name)
{
	static const u8 lengths[] = { 1, 4, 5, 20, 21, 52, 53, 255 };
	u32 len = lengths[name % ARRAY_SIZE(lengths)];

	memset(tree_test->name, 'a' + name, len);
	tree_test->name[len] = 0;
	return tree_test->name;
}

/* Slots of an array of strings contain one of the names, or are empty. */
static void compare_array(struct kunit *test, const struct tree_test_value *v)
{
	u64 *block = block_at(v->index);
	const u32 *strings = (const u32 *)(block + 2);
	u32 i;

	KUNIT_ASSERT_EQ(test, block[1], v->bits | v->len << 8);
	if (v->bits != INSPECT_STRING_REFERENCE) {
		for (i = 0; i < v->len; i++)
			KUNIT_ASSERT_EQ(test, block[2 + i], v->index + i);
		return;
	}
	for (i = 0; i < v->len; i++) {
		KUNIT_ASSERT_EQ(test, !strings[i], !v->texts[i]);
		if (strings[i])
			expect_text(test, strings[i], model_name(v->texts[i] - 1));
	}
}

static void compare_value(struct kunit *test, const struct tree_test_value *v)
{
	const u64 *block = block_at(v->index);

	KUNIT_ASSERT_EQ(test, vtr_block_type(block), v->alive ? v->type : INSPECT_TOMBSTONE);
	KUNIT_ASSERT_EQ(test, block[0] >> 16 & 0xffffff, tree_test->values[v->parent].index);
	if (!v->alive)
		return;
	expect_name(test, v->index, model_name(v->name));
	if (is_buffer_type(v->type)) {
		fill_bytes(v->bits, v->len);
		expect_bytes(test, v->index, v->len);
	} else if (v->type == INSPECT_ARRAY_VALUE) {
		compare_array(test, v);
	} else if (v->type == INSPECT_LINK_VALUE) {
		expect_text(test, block[1] & 0xfffff, model_name(v->bits));
	} else {
		KUNIT_ASSERT_EQ(test, block[1], v->type == INSPECT_NODE_VALUE ?
						v->nr_children : v->bits);
	}
}

static void compare_model(struct kunit *test)
{
	u32 i, nr_alive = 0, nr_tombstones = 0;

	/* Slot 0, the root, has no block but the header. */
	for (i = 1; i < TREE_TEST_VALUES; i++) {
		if (!tree_test->values[i].used)
			continue;
		compare_value(test, &tree_test->values[i]);
		nr_alive += tree_test->values[i].alive;
		nr_tombstones += !tree_test->values[i].alive;
	}
	KUNIT_ASSERT_EQ(test, tree->nr_values, nr_alive);
	KUNIT_ASSERT_EQ(test, tree->nr_tombstones, nr_tombstones);
	check_now(test);
}

/* Return a length that is mostly short and sometimes needs several extents. */
static size_t random_length(struct random *random)
{
	return random_below(random, 1 + (32U << random_below(random, 9)));
}

static int model_create_array(struct kunit *test, struct random *random,
			      struct tree_test_value *new)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE,
		INSPECT_STRING_REFERENCE, INSPECT_STRING_REFERENCE,
	};
	struct vitrine_value shape = {
		.slot_type = types[random_below(random, ARRAY_SIZE(types))],
		.count = random_below(random, TREE_TEST_TEXTS + 1),
	};
	u64 *numbers;
	u32 i;
	int err;

	if (shape.slot_type != INSPECT_STRING_REFERENCE && random_below(random, 2))
		shape.count = random_below(random, 255);
	new->len = shape.count;
	if (shape.slot_type != INSPECT_STRING_REFERENCE && shape.count > 5)
		shape.format = random_below(random, 3);
	new->bits = shape.slot_type | shape.format << 4;
	if (shape.format) {
		shape.count -= shape.format + 3;
		shape.parameters[1] = 1;
		shape.parameters[2] = shape.slot_type == INSPECT_DOUBLE_VALUE ?
				      0x3ff0000000000000ULL : 1;
	}
	err = vtr_array_create(tree, tree_test->values[new->parent].index,
			       model_name(new->name), &shape, &new->index);
	if (err || shape.slot_type == INSPECT_STRING_REFERENCE)
		return err;
	numbers = vtr_array_numbers(block_at(new->index));
	for (i = 0; i < new->len; i++)
		numbers[i] = new->index + i;
	return 0;
}

/* Record a value as described by @new; it has no index unless it is a node. */
static int model_record(struct kunit *test, struct tree_test_value *new)
{
	u32 parent = tree_test->values[new->parent].index;
	const char *name = model_name(new->name);

	new->recorded = true;
	if (new->type == INSPECT_NODE_VALUE)
		return record_node(parent, name, &new->index);
	if (is_buffer_type(new->type)) {
		fill_bytes(new->bits, new->len);
		return record_buffer(parent, name, INSPECT_BUFFER_BINARY, tree_test->bytes,
				     new->len);
	}
	return record_number(parent, name, new->type, new->bits);
}

/* Return the block that was recorded last in a node. */
static u32 last_record(u32 node)
{
	return *vtr_tree_note(tree, node) & VTR_NODE_NEXT;
}

static int model_create(struct kunit *test, struct random *random,
			struct tree_test_value *v, u32 parent)
{
	static const enum inspect_type types[] = {
		INSPECT_NODE_VALUE, INSPECT_NODE_VALUE, INSPECT_INT_VALUE,
		INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE, INSPECT_BOOL_VALUE,
		INSPECT_BUFFER_VALUE, INSPECT_BUFFER_VALUE,
		INSPECT_ARRAY_VALUE, INSPECT_ARRAY_VALUE,
		INSPECT_LINK_VALUE,
	};
	struct tree_test_value new = {
		.used = true,
		.alive = true,
		.type = types[random_below(random, ARRAY_SIZE(types))],
		.parent = parent,
		.name = random_below(random, 24),
		.bits = random_below(random, 2),
	};
	int err;

	if (is_buffer_type(new.type))
		new.len = random_length(random);
	else if (new.type == INSPECT_NODE_VALUE)
		new.bits = 0;
	if (new.type != INSPECT_ARRAY_VALUE &&
	    new.type != INSPECT_LINK_VALUE && !random_below(random, 3)) {
		err = model_record(test, &new);
		if (!err)
			new.index = last_record(tree_test->values[parent].index);
	} else if (is_buffer_type(new.type)) {
		fill_bytes(new.bits, new.len);
		err = vtr_tree_buffer_create(tree, tree_test->values[parent].index,
					     model_name(new.name), INSPECT_BUFFER_BINARY,
					     tree_test->bytes, new.len, &new.index);
	} else if (new.type == INSPECT_ARRAY_VALUE) {
		err = model_create_array(test, random, &new);
	} else if (new.type == INSPECT_LINK_VALUE) {
		new.bits = random_below(random, 24);
		model_name(new.bits);
		memcpy(tree_test->bytes, tree_test->name, sizeof(tree_test->name));
		err = vtr_link_create(tree, tree_test->values[parent].index, model_name(new.name),
				      (const char *)tree_test->bytes, random_below(random, 2),
				      &new.index);
	} else {
		err = try_value(tree_test->values[parent].index, model_name(new.name), new.type,
				new.bits, &new.index);
	}
	if (!err) {
		*v = new;
		tree_test->values[parent].nr_children++;
	}
	return err;
}

static int model_set(struct kunit *test, struct random *random, struct tree_test_value *v)
{
	u64 bits = random_below(random, 251);
	size_t len = random_length(random);
	int err;

	fill_bytes(bits, len);
	err = vtr_tree_buffer_set(tree, v->index, tree_test->bytes, len);
	if (!err) {
		v->bits = bits;
		v->len = len;
	}
	return err;
}

/* Set a random slot to a random text, or to none. */
static int model_set_text(struct kunit *test, struct random *random, struct tree_test_value *v)
{
	u32 slot = random_below(random, v->len);
	u32 text = random_below(random, 25);
	int err;

	err = vtr_array_string_set(tree, v->index, slot, text ? model_name(text - 1) : "");
	if (!err)
		v->texts[slot] = text;
	return err;
}

/* Free tombstones without children, and then their parents. */
static void model_forget(struct tree_test_value *v)
{
	while (v->used && !v->alive && !v->nr_children) {
		v->used = false;
		v = &tree_test->values[v->parent];
		v->nr_children--;
	}
}

/* Move a node below another one; the model knows which moves are refused. */
static int model_adopt(struct kunit *test, struct tree_test_value *v, u32 parent)
{
	int err = vtr_node_adopt(tree, tree_test->values[parent].index, v->index);
	u32 at, old = v->parent;
	bool cycle = false;

	for (at = parent; at; at = tree_test->values[at].parent)
		cycle = cycle || &tree_test->values[at] == v;
	KUNIT_ASSERT_EQ(test, err, v->recorded ? -EINVAL : cycle ? -ELOOP : 0);
	if (!err) {
		v->parent = parent;
		tree_test->values[parent].nr_children++;
		tree_test->values[old].nr_children--;
		model_forget(&tree_test->values[old]);
	}
	return 0;
}

static bool is_owned_by(const struct tree_test_value *v, u32 owner)
{
	while (v->used && v->alive && v->recorded) {
		if (v->parent == owner)
			return true;
		v = &tree_test->values[v->parent];
	}
	return false;
}

/* Delete the values that a node owns: mark all before the first one is deleted. */
static void model_purge(u32 owner)
{
	bool owned[TREE_TEST_VALUES] = { false };
	u32 i;

	for (i = 1; i < TREE_TEST_VALUES; i++)
		owned[i] = is_owned_by(&tree_test->values[i], owner);
	for (i = 1; i < TREE_TEST_VALUES; i++) {
		if (!owned[i])
			continue;
		tree_test->values[i].alive = false;
	}
	for (i = 1; i < TREE_TEST_VALUES; i++)
		if (owned[i])
			model_forget(&tree_test->values[i]);
}

static int model_delete(struct kunit *test, struct tree_test_value *v)
{
	int err;

	if (v->recorded && v->type != INSPECT_NODE_VALUE)
		return 0;
	err = vtr_tree_delete(tree, v->index);
	if (v->recorded)
		return err == -EINVAL ? 0 : -EIO;
	while (v->type == INSPECT_NODE_VALUE && vtr_tree_purge(tree, v->index, 3))
		check_now(test);

	v->alive = false;
	if (v->type == INSPECT_NODE_VALUE)
		model_purge(v - tree_test->values);
	model_forget(v);
	return err;
}

/* Make one random call on a random value; slot 0 is the root. */
static int model_step(struct kunit *test, struct random *random)
{
	u32 slot = 1 + random_below(random, TREE_TEST_VALUES - 1);
	u32 parent = random_below(random, TREE_TEST_VALUES);
	struct tree_test_value *v = &tree_test->values[slot];

	if (!v->used) {
		if (!tree_test->values[parent].alive ||
		    tree_test->values[parent].type != INSPECT_NODE_VALUE)
			parent = 0;
		return model_create(test, random, v, parent);
	}
	if (!v->alive)
		return 0;
	if (v->type == INSPECT_NODE_VALUE && random_below(random, 2) &&
	    tree_test->values[parent].alive && tree_test->values[parent].type == INSPECT_NODE_VALUE)
		return model_adopt(test, v, parent);
	if (is_buffer_type(v->type) && random_below(random, 4))
		return model_set(test, random, v);
	if (v->type == INSPECT_ARRAY_VALUE && v->len &&
	    v->bits == INSPECT_STRING_REFERENCE && random_below(random, 8))
		return model_set_text(test, random, v);
	if (random_below(random, 4))
		return 0;
	return model_delete(test, v);
}

/* The same while a copy of the tree is made, which must be the tree before the call. */
static int copied_step(struct kunit *test, struct random *random)
{
	struct vtr_heap *heap = &tree->heap;
	struct vtr_heap_copy copy = {
		.bytes = tree_test->copied,
		.is_saved = tree_test->is_saved,
		.nr_pages = heap->nr_pages,
	};
	size_t len = heap->nr_pages * PAGE_SIZE;
	u32 i;
	int err;

	for (i = 0; i < copy.nr_pages; i++)
		memcpy(tree_test->before + i * PAGE_SIZE, heap->pages[i], PAGE_SIZE);
	memset(tree_test->is_saved, 0, sizeof(tree_test->is_saved));
	heap->copy = &copy;
	err = model_step(test, random);
	for (i = 0; i < copy.nr_pages; i++)
		vtr_heap_save(heap, i * VTR_HEAP_BLOCKS_PER_PAGE);
	heap->copy = NULL;
	KUNIT_ASSERT_TRUE(test, !memcmp(tree_test->before, tree_test->copied, len));
	return err;
}

static void tree_walk(struct kunit *test, u64 seed)
{
	struct random random = { seed };
	u32 i, nr_full = 0;
	int err;

	add_page(test);
	tree_test->values[0] = (struct tree_test_value){
		.used = true,
		.alive = true,
		.type = INSPECT_NODE_VALUE,
		.index = INSPECT_ROOT,
	};
	for (i = 0; i < TREE_TEST_STEPS; i++) {
		err = copied_step(test, &random);
		if (err) {
			KUNIT_ASSERT_EQ(test, err, -ENOSPC);
			nr_full++;
		}
		compare_model(test);
		/* small enough to be full for a while */
		if (i % (TREE_TEST_STEPS / 8) == 0)
			add_page(test);
	}
	KUNIT_EXPECT_GT(test, nr_full, 0);

	for (i = 1; i < TREE_TEST_VALUES; i++)
		if (tree_test->values[i].used && tree_test->values[i].alive)
			KUNIT_ASSERT_EQ(test, model_delete(test, &tree_test->values[i]), 0);
	compare_model(test);
	/* The remaining values are recorded in the root, which cannot be deleted. */
	while (vtr_tree_purge(tree, INSPECT_ROOT, 1))
		check_now(test);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, 32);
}

#endif /* _VTR_TESTS_TREE_WALK_H */
