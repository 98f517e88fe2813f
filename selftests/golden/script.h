/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that includes this runs the Python script of the same name in this directory. The
 * tests want programs, which their Makefile compiles.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char script[] = __BASE_FILE__ "y", *args[argc + 2];

	memcpy(strrchr(script, '.'), ".py", sizeof(".py"));
	args[0] = "python3";
	args[1] = script;
	memcpy(args + 2, argv + 1, argc * sizeof(*argv));
	execvp(args[0], args);
	perror(args[0]);
	return 2;
}
