#include "sweep/trials/trials_internal.h"

#define STATEMENT(name, sql) const char sql_##name[] = sql;
#include "trials_sql.h"
#undef STATEMENT

const char *const trials_statements[] = {
#define STATEMENT(name, sql) sql_##name,
#include "trials_sql.h"
    NULL};
