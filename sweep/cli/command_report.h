/* What `report` does, for commands that end with it. */
#ifndef SWEEP_CLI_COMMAND_REPORT_H
#define SWEEP_CLI_COMMAND_REPORT_H

/* As the command of that name, writes the page of a sweep to a file (report --html). Prints what
 * failed; returns the exit status. */
int command_report_page(const char *name, const char *db, char *sweep, const char *file);

#endif
