/* Attempts that came to nothing on some machine: what `status` and `report` know of machines. */
#ifndef SWEEP_TRIALS_LOST_H
#define SWEEP_TRIALS_LOST_H

/* In SQL, of a row of `attempt`: it was lost on a known machine, while there was a coordinator. */
#define LOST_ATTEMPT "cause = 'lost' AND host IS NOT NULL"

/* In SQL: trial_id, host, ended and error of the attempts of the plan of sweep ?1 that were lost on
 * a known machine, while there was a coordinator. SQLite is to pass along the attempts, which are
 * few bytes each, and to look up the trials of those few that were lost. */
#define LOST_ATTEMPTS                                                                              \
    "SELECT a.trial_id, host, ended, error FROM attempt AS a CROSS JOIN trial AS t"                \
    " USING (trial_id) WHERE " LOST_ATTEMPT " AND sweep_id = ?1 AND in_plan = 1"

/* Of how many machines a sentence tells, those that lost most; of the others it has the number. */
enum { LOST_SHOWN = 8 };

#endif
