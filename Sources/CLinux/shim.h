// The calls that glibc declares for _GNU_SOURCE only, which Swift's Glibc module leaves out.
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <time.h>

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);
int pthread_setname_np(pthread_t thread, const char *name);

enum { POSIX_SPAWN_SETSID = 0x80, SCHED_IDLE = 5, SCHED_RESET_ON_FORK = 0x40000000 };
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
int posix_openpt(int flags);
int grantpt(int controller);
int unlockpt(int controller);
char *ptsname(int controller);
