// The calls that glibc declares for _GNU_SOURCE only, which Swift's Glibc module leaves out.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);
int pthread_setname_np(pthread_t thread, const char *name);
