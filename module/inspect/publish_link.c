// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: links to other trees.
 *
 * Concurrency: as in publish.c.
 */
#include <linux/export.h>
#include <linux/kernel.h>

#include "edit.h"
#include "inspect.h"
#include "link.h"

struct vitrine_link *vitrine_link_create(struct vitrine_node *parent,
					 const char *name, const char *tree,
					 enum vitrine_disposition disposition)
{
	enum inspect_link_disposition how =
		disposition == VITRINE_LINK_INLINE ? INSPECT_LINK_INLINE :
						     INSPECT_LINK_CHILD;
	char content[VITRINE_TREE_NAME_MAX + sizeof(".inspect")];
	int fault = 0;

	if (!tree)
		fault = -ENOMEM;
	else if (vtr_inspect_name_fault(tree))
		fault = -ENAMETOOLONG; /* no warning: may come from user space */
	else if (disposition > VITRINE_LINK_INLINE)
		fault = -EINVAL;
	else
		scnprintf(content, sizeof(content), "%s.inspect", tree);
	return vtr_edit_create(parent, name, fault, 1, vtr_link_create, content,
			       how);
}
EXPORT_SYMBOL_GPL(vitrine_link_create);

void vitrine_link_delete(struct vitrine_link *link)
{
	vtr_edit_delete(link, vtr_link_delete);
}
EXPORT_SYMBOL_GPL(vitrine_link_delete);
