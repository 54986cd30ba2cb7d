#include "CVersion.h"

const char *undersong_commit(void) { return UNDERSONG_COMMIT; }
