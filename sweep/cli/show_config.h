/* The configuration of a trial for people. */
#ifndef SWEEP_CLI_SHOW_CONFIG_H
#define SWEEP_CLI_SHOW_CONFIG_H

/* Prints a stored configuration, as canonical JSON, in lines of at most `width` columns: section by
 * section, or as it stands where it is of another version of a task or of training. */
void show_config(const char *json, int width);

#endif
