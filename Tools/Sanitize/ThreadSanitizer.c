// Linked into all programs that are built for ThreadSanitizer: its options, which hold also for programs
// that tests start with an environment of their own, and the contended half of Swift's Mutex.
//
// An uncontended lock or unlock of Synchronization.Mutex is one atomic operation in the calling
// module, which is instrumented. Only a contended one calls the library, which is not, so that the
// next owner's accesses would be reported as races. These definitions take precedence over the
// library's in every program they are linked into: they call it, and report the hand-over.

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// REPORTS is the folder of the reports, and SUPPRESSIONS the file: see Tools/Sanitize/run. A report does
// not change a program's exit status, because tests look at that.
const char *__tsan_default_options(void) {
    return "halt_on_error=0 exitcode=0 log_exe_name=1 log_path='" REPORTS "/report'"
           " suppressions='" SUPPRESSIONS "'";
}

// Mangled names of _MutexHandle's methods; the handle, their `self`, is in the context register.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static SWIFT void (*library_lock)(uint32_t thread, SELF);
static SWIFT bool (*library_try_lock)(SELF);
static SWIFT void (*library_unlock)(SELF);

static void *library_function(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        fprintf(stderr, "cannot show ThreadSanitizer Swift's Mutex: no function %s\n", name);
        abort();
    }
    return function;
}

__attribute__((constructor)) static void find_library_functions(void) {
    library_lock = library_function(LOCK);
    library_try_lock = library_function(TRY_LOCK);
    library_unlock = library_function(UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    library_lock(thread, handle);
    __tsan_acquire(handle);
}

SWIFT bool try_lock_slow(SELF) {
    bool is_locked = library_try_lock(handle);
    if (is_locked) __tsan_acquire(handle);
    return is_locked;
}

SWIFT void unlock_slow(SELF) {
    __tsan_release(handle);
    library_unlock(handle);
}
