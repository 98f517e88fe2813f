/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of the plugin: the methods of its components, and the names that the
 * command uses.
 */
#ifndef _VITRINE_BABELTRACE_PLUGIN_H
#define _VITRINE_BABELTRACE_PLUGIN_H

#include <babeltrace2/babeltrace.h>

/* source.c */
bt_component_class_initialize_method_status
source_initialize(bt_self_component_source *self,
		  bt_self_component_source_configuration *configuration,
		  const bt_value *params, void *data);
void source_finalize(bt_self_component_source *self);
bt_component_class_query_method_status
source_query(bt_self_component_class_source *self,
	     bt_private_query_executor *executor, const char *object,
	     const bt_value *params, void *data, const bt_value **result);
bt_message_iterator_class_initialize_method_status
source_begin(bt_self_message_iterator *self,
	     bt_self_message_iterator_configuration *configuration,
	     bt_self_component_port_output *port);
bt_message_iterator_class_next_method_status
source_next(bt_self_message_iterator *self, bt_message_array_const messages,
	    uint64_t capacity, uint64_t *count);
bt_message_iterator_class_can_seek_beginning_method_status
source_can_seek(bt_self_message_iterator *self, bt_bool *ret);
bt_message_iterator_class_seek_beginning_method_status
source_seek(bt_self_message_iterator *self);

/* sink.c */
bt_component_class_initialize_method_status
sink_initialize(bt_self_component_sink *self,
		bt_self_component_sink_configuration *configuration,
		const bt_value *params, void *data);
void sink_finalize(bt_self_component_sink *self);
bt_component_class_sink_graph_is_configured_method_status
sink_configured(bt_self_component_sink *self);
bt_component_class_sink_consume_method_status
sink_consume(bt_self_component_sink *self);

#endif /* _VITRINE_BABELTRACE_PLUGIN_H */
