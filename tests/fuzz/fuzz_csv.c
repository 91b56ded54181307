#define FORM RECORDS_CSV, ','
#include "tests/fuzz/records.h"
