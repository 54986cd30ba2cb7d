#pragma once

/// The commit that was built, or an empty string if the build does not name one.
const char *undersong_commit(void);
