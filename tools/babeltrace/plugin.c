// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The plugin `vitrine' of libbabeltrace2, with which babeltrace2 and other programs that use
 * libbabeltrace2 read and write Fuchsia traces; and its function for `vitrine convert', which
 * runs either source.vitrine.fxt and sink.ctf.fs, or source.ctf.fs, the muxer and
 * sink.vitrine.fxt.
 */
#define _GNU_SOURCE	/* dladdr() */
#include <dlfcn.h>
#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "plugin.h"

/**
 * struct run - a conversion
 * @graph: the components
 * @ctf: plugin of the Common Trace Format
 * @utils: plugin with the muxer
 * @own: this plugin
 * @nr_traces: number of traces in the Common Trace Format that are read
 * @faults: faults of the Fuchsia trace that is read; NULL if a Fuchsia trace is written
 */
struct run {
	bt_graph *graph;
	const bt_plugin *ctf;
	const bt_plugin *utils;
	const bt_plugin_set *own;
	unsigned int nr_traces;
	struct faults *faults;
};

/* ---- For the command --------------------------------------------------- */

static bool find_plugins(struct run *run)
{
	Dl_info info;

	return bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE,
			      BT_FALSE, &run->ctf) == BT_PLUGIN_FIND_STATUS_OK &&
	       bt_plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE,
			      BT_FALSE, &run->utils) == BT_PLUGIN_FIND_STATUS_OK &&
	       dladdr(find_plugins, &info) &&
	       bt_plugin_find_all_from_file(info.dli_fname, BT_FALSE,
					    &run->own) ==
	       BT_PLUGIN_FIND_ALL_FROM_FILE_STATUS_OK;
}

/* Add a source; takes ownership of @params. Only source.vitrine.fxt uses @run->faults. */
static const bt_component_source *
add_source(struct run *run, const bt_component_class_source *class,
	   const char *name, bt_value *params)
{
	const bt_component_source *source = NULL;

	if (class)
		bt_graph_add_source_component_with_initialize_method_data(
			run->graph, class, name, params, run->faults,
			BT_LOGGING_LEVEL_FATAL, &source);
	bt_value_put_ref(params);
	return source;
}

/* Add a sink; takes ownership of @params. Only sink.vitrine.fxt uses the name of the trace. */
static const bt_component_sink *
add_sink(struct run *run, const bt_component_class_sink *class,
	 bt_value *params, const char *name)
{
	const bt_component_sink *sink = NULL;

	if (class)
		bt_graph_add_sink_component_with_initialize_method_data(
			run->graph, class, "sink", params, (void *)name,
			BT_LOGGING_LEVEL_FATAL, &sink);
	bt_value_put_ref(params);
	return sink;
}

/* Create the parameter `inputs' of a source. */
static bt_value *input_params(const char *path)
{
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	bt_value_map_insert_empty_array_entry(params, "inputs", &inputs);
	bt_value_array_append_string_element(inputs, path);
	return params;
}

/* Add a source that reads a trace in the Common Trace Format. */
static const bt_component_source *add_ctf(struct run *run, const char *name, const char *path)
{
	return add_source(run,
		bt_plugin_borrow_source_component_class_by_name_const(run->ctf, "fs"),
		name, input_params(path));
}

/* Create the parameter `path' of a sink. */
static bt_value *output_params(const char *path)
{
	bt_value *params = bt_value_map_create();

	bt_value_map_insert_string_entry(params, "path", path);
	return params;
}

static bool connect(struct run *run, const bt_port_output *from,
		    const bt_port_input *to)
{
	return bt_graph_connect_ports(run->graph, from, to, NULL) ==
	       BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

static bool write_ctf(struct run *run, const char *from, const char *to)
{
	const bt_component_source *source;
	const bt_component_sink *sink;
	bt_value *params = output_params(to);

	bt_value_map_insert_bool_entry(params, "assume-single-trace", BT_TRUE);
	bt_value_map_insert_bool_entry(params, "quiet", BT_TRUE);
	/* From 2.1 on the default is version 2 of the format, which few readers know. */
	if (bt_version_get_minor() >= 1)
		bt_value_map_insert_string_entry(params, "ctf-version", "1.8");
	source = add_source(run,
		bt_plugin_borrow_source_component_class_by_name_const(
			bt_plugin_set_borrow_plugin_by_index_const(run->own, 0),
			"fxt"), "source", input_params(from));
	if (!source) {
		bt_value_put_ref(params);
		return false;
	}
	sink = add_sink(run,
		bt_plugin_borrow_sink_component_class_by_name_const(run->ctf,
								    "fs"),
		params, NULL);
	return sink && connect(run,
		bt_component_source_borrow_output_port_by_index_const(source, 0),
		bt_component_sink_borrow_input_port_by_index_const(sink, 0));
}

/*
 * Connect all ports of a source. The muxer adds an input port whenever the last free one is
 * connected.
 */
static bool connect_all(struct run *run, const bt_component_source *source,
			const bt_component_filter *muxer)
{
	uint64_t i, nr = bt_component_source_get_output_port_count(source);
	uint64_t last = bt_component_filter_get_input_port_count(muxer) - 1;

	for (i = 0; i < nr; i++)
		if (!connect(run,
			bt_component_source_borrow_output_port_by_index_const(
				source, i),
			bt_component_filter_borrow_input_port_by_index_const(
				muxer, last + i)))
			return false;
	return true;
}

static bool read_trace(struct run *run, const char *path,
		       const bt_component_filter *muxer)
{
	const bt_component_source *source;
	char name[32];

	snprintf(name, sizeof(name), "trace%u", run->nr_traces++);
	source = add_ctf(run, name, path);
	return source && connect_all(run, source, muxer);
}

/* Read the trace in the directory of a file. */
static bool read_around(struct run *run, const FTSENT *file,
			const bt_component_filter *muxer)
{
	char *dir = strndup(file->fts_path,
			    file->fts_pathlen - file->fts_namelen);
	bool good = dir && read_trace(run, dir, muxer);

	free(dir);
	return good;
}

/*
 * Read all traces below a directory: an LTTng session has a directory for the trace of the
 * kernel, and one for the trace of each user.
 */
static bool read_traces(struct run *run, const char *path,
			const bt_component_filter *muxer)
{
	char * const paths[] = { (char *)path, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *entry;
	bool good = walk;

	while (good && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_F &&
		    !strcmp(entry->fts_name, "metadata"))
			good = read_around(run, entry, muxer);
	if (walk)
		fts_close(walk);
	/* If there is no trace, source.ctf.fs reports the error. */
	return good && (run->nr_traces || read_trace(run, path, muxer));
}

static bool read_ctf(struct run *run, const char *from, const char *to)
{
	const bt_component_filter *muxer = NULL;
	const bt_component_class_filter *class;
	const bt_component_sink *sink;

	class = bt_plugin_borrow_filter_component_class_by_name_const(
			run->utils, "muxer");
	if (!class ||
	    bt_graph_add_filter_component(run->graph, class, "muxer", NULL,
					  BT_LOGGING_LEVEL_FATAL, &muxer) !=
	    BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
	    !read_traces(run, from, muxer))
		return false;
	sink = add_sink(run,
		bt_plugin_borrow_sink_component_class_by_name_const(
			bt_plugin_set_borrow_plugin_by_index_const(run->own, 0),
			"fxt"), output_params(to), from);
	return sink && connect(run,
		bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		bt_component_sink_borrow_input_port_by_index_const(sink, 0));
}

/*
 * sink.ctf.fs writes the metadata last, and does not report that the disk was full. If the
 * metadata is not there as a whole, the trace cannot be opened.
 */
static bool is_complete(struct run *run, const char *path)
{
	bt_graph_put_ref(run->graph);
	run->graph = bt_graph_create(0);
	return run->graph && add_ctf(run, "written", path);
}

static bool is_of_sink(const bt_error_cause *cause)
{
	return !strcmp(bt_error_cause_component_actor_get_component_name(cause),
		       "sink");
}

/* Get the first cause that a component reported: its message, and EIO of a sink. */
static int take_error(char *message, size_t size)
{
	const bt_error *error = bt_current_thread_take_error();
	const bt_error_cause *cause;
	uint64_t i, nr = error ? bt_error_get_cause_count(error) : 0;
	int code = EIO;

	*message = '\0';
	for (i = 0; i < nr; i++) {
		cause = bt_error_borrow_cause_by_index(error, i);
		if (bt_error_cause_get_actor_type(cause) !=
		    BT_ERROR_CAUSE_ACTOR_TYPE_COMPONENT)
			continue;
		snprintf(message, size, "%s",
			 bt_error_cause_get_message(cause));
		code = is_of_sink(cause) ? EIO : EBADMSG;
		break;
	}
	if (error)
		bt_error_release(error);
	return code;
}

/**
 * vitrine_babeltrace_convert() - convert to or from the Common Trace Format
 * @from: file or directory to read
 * @to: directory or file to write
 * @faults: faults of the Fuchsia trace @from; NULL if @from is in the Common Trace Format
 * @message: receives the error message, which is empty if no component gave a reason
 * @size: size of @message
 *
 * After an error the components are not destroyed, since sink.ctf.fs crashes then: the
 * process ends.
 *
 * Return: 0, EBADMSG if @from cannot be read, EIO if @to cannot be written.
 */
int vitrine_babeltrace_convert(const char *from, const char *to,
			       struct faults *faults, char *message,
			       size_t size)
{
	struct run run = { .graph = bt_graph_create(0), .faults = faults };

	if (!run.graph || !find_plugins(&run) ||
	    !(faults ? write_ctf : read_ctf)(&run, from, to) ||
	    bt_graph_run(run.graph) != BT_GRAPH_RUN_STATUS_OK)
		return take_error(message, size);
	if (faults && !is_complete(&run, to)) {
		*message = '\0';
		return EIO;
	}
	bt_graph_put_ref(run.graph);
	bt_plugin_put_ref(run.ctf);
	bt_plugin_put_ref(run.utils);
	bt_plugin_set_put_ref(run.own);
	return 0;
}

/* ---- The plugin -------------------------------------------------------- */

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
