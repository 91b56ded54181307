/* What the shell's completion asks for, as `headcount complete WHAT ...`: a hidden command, so that
 * completion.bash knows no name by heart. */
#ifndef SWEEP_CLI_COMPLETE_H
#define SWEEP_CLI_COMPLETE_H

/* Prints one candidate a line and nothing else; where there is nothing to offer, nothing. argv[0]
 * is "complete":
 *
 *   commands             names of commands
 *   options COMMAND      its long options, "--db=" where one takes a value
 *   help                 keys of a sweep file, each with a tab and what it is, for manual.sh
 *   keys                 what --set may name: keys of a sweep file, full paths of options
 *   values KEY           the words that this option may have
 *   tasks                names of tasks
 *   sweeps DB            sweeps of a results file
 *   trials DB DIGITS     its trials whose number begins with these digits, some of them
 *
 * Always returns EXIT_DONE: a shell has no use for complaints. */
int complete_main(int argc, char **argv);

#endif
