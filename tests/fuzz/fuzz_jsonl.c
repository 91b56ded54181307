#define FORM RECORDS_JSONL
#include "tests/fuzz/records.h"
