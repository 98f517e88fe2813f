// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The plugin `vitrine' of libbabeltrace2, with which babeltrace2 and other programs that use
 * libbabeltrace2 read and write Fuchsia traces.
 */
#include "plugin.h"

BT_PLUGIN_MODULE();
BT_PLUGIN(vitrine);
BT_PLUGIN_DESCRIPTION("Fuchsia trace format (FXT) input and output");
BT_PLUGIN_AUTHOR("The vitrine maintainers");
BT_PLUGIN_LICENSE("LGPL-2.1-or-later");

BT_PLUGIN_SOURCE_COMPONENT_CLASS(fxt, source_next);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_DESCRIPTION(fxt,
	"Read a Fuchsia trace (FXT) from a file.");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_HELP(fxt,
	"Parameter inputs: an array of one path. See vitrine-convert(1).");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_INITIALIZE_METHOD(fxt, source_initialize);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_FINALIZE_METHOD(fxt, source_finalize);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_QUERY_METHOD(fxt, source_query);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(fxt,
	source_begin);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHODS(fxt,
	source_seek, source_can_seek);

BT_PLUGIN_SINK_COMPONENT_CLASS(fxt, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(fxt,
	"Write a Fuchsia trace (FXT) to a file.");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(fxt,
	"Parameter path: the file. See vitrine-convert(1).");
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(fxt, sink_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(fxt, sink_finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(fxt,
	sink_configured);
