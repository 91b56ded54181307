#define FORM RECORDS_JSONL, 0
#include "tests/fuzz/records.h"
