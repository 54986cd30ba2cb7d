// libmpg123 renames mpg123_param, mpg123_info and others by macro: Swift sees mpg123_param2 and so
// on, their real names. MPG123_LARGESUFFIX must stay unset, or the plain names disappear.
#include <mpg123.h>
#include <syn123.h>
