// Linked into all programs that are built for AddressSanitizer: its options, which hold also for programs
// that tests start with an environment of their own. REPORTS is the folder of the reports, and
// SUPPRESSIONS the file of leaks: see Tools/Sanitize/run. A report does not change a program's
// exit status, because tests look at that.

const char *__asan_default_options(void) {
    return "halt_on_error=0 log_exe_name=1 log_path='" REPORTS "/report'";
}

const char *__lsan_default_options(void) {
    return "exitcode=0 suppressions='" SUPPRESSIONS "'";
}
