/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files without a name, for what does not fit into memory.
 */
#ifndef _VITRINE_LIB_UNNAMED_H
#define _VITRINE_LIB_UNNAMED_H

int vtr_unnamed_open(void);

#endif /* _VITRINE_LIB_UNNAMED_H */
