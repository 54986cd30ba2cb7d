// The calls that glibc declares for _GNU_SOURCE only, which Swift's Glibc module leaves out.
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <time.h>
#include <wchar.h>

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);
int pthread_setname_np(pthread_t thread, const char *name);
void *memmem(const void *bytes, size_t count, const void *part, size_t length);
int wcwidth(wchar_t character);
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);
enum { CLINUX_RENAME_NOREPLACE = 1 };
int pipe2(int ends[2], int flags);
int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *mask);

enum { POSIX_SPAWN_SETSID = 0x80, SCHED_IDLE = 5, SCHED_RESET_ON_FORK = 0x40000000 };
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
int posix_openpt(int flags);
int grantpt(int controller);
int unlockpt(int controller);
char *ptsname(int controller);

// What the wire between the two programs needs of sockets; CMSG_* are macros, which Swift cannot
// call, and struct ucred is for _GNU_SOURCE only.
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/vfs.h>

// As in <sys/pidfd.h>, which older C libraries do not have.
int pidfd_open(pid_t process, unsigned int flags);
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

enum { CLINUX_MOST_SENT = 253, CLINUX_MOST_RECEIVED = 16 };

/// Turns ASCII letters into small ones; returns whether all bytes are ASCII.
static inline int clinux_lower(unsigned char *bytes, size_t count)
{
    unsigned char all = 0;
    for (size_t place = 0; place < count; place++) {
        all |= bytes[place];
        bytes[place] |= (unsigned char)((bytes[place] - 'A' < 26u) << 5);
    }
    return all < 0x80;
}

/// Sends bytes, with descriptors when there are any, without waiting and without SIGPIPE.
static inline ssize_t clinux_send(
    int socket, const void *bytes, size_t count, const int *descriptors, int number)
{
    char control[CMSG_SPACE(CLINUX_MOST_SENT * sizeof(int))]
        __attribute__((aligned(_Alignof(struct cmsghdr))));
    struct iovec part = { (void *)bytes, count };
    struct msghdr message = { 0 };
    if (number <= 0) return send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (number > CLINUX_MOST_SENT) { errno = EINVAL; return -1; }
    memset(control, 0, sizeof control);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(number * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(number * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, number * sizeof(int));
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Receives bytes and at most CLINUX_MOST_RECEIVED descriptors without waiting. `*number` says
/// how many came, `*truncated` whether some were lost.
static inline ssize_t clinux_receive(
    int socket, void *bytes, size_t count, int *descriptors, int *number, int *truncated)
{
    char control[CMSG_SPACE(CLINUX_MOST_RECEIVED * sizeof(int))]
        __attribute__((aligned(_Alignof(struct cmsghdr))));
    struct iovec part = { bytes, count };
    struct msghdr message = { 0 };
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    *number = 0;
    *truncated = 0;
    ssize_t length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (length < 0) return length;
    *truncated = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int more = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors + *number, CMSG_DATA(header), more * sizeof(int));
        *number += more;
    }
    return length;
}

/// Reports who is at the other end of a Unix socket: the process and the user that connected.
static inline int clinux_peer(int socket, pid_t *process, uid_t *user)
{
    struct { pid_t process; uid_t user; gid_t group; } peer = { 0, 0, 0 };
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *process = peer.process;
    *user = peer.user;
    return 0;
}

// Files of which only some bytes are there.
int fallocate(int file, int mode, off_t offset, off_t length);
int memfd_create(const char *name, unsigned int flags);
enum { CLINUX_O_TMPFILE = 020000000 | 0200000, CLINUX_MFD_CLOEXEC = 1 };

/// Frees the space of a range, which reads as zeros from then on.
static inline int clinux_punch_hole(int file, off_t offset, off_t length)
{
    return fallocate(file, 0x01 | 0x02, offset, length);
}

// Memory that comes from files.
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct dl_phdr_info;
int dl_iterate_phdr(int (*call)(struct dl_phdr_info *, size_t, void *), void *context);
int madvise(void *start, size_t length, int advice);

/// The first members of `struct dl_phdr_info`, which is for _GNU_SOURCE only.
struct clinux_loaded_file {
    uintptr_t start;
    const char *name;
    const ElfW(Phdr) *segments;
    uint16_t count;
};

/// Drops the pages of the segments that nobody can have written to: they are read from the file
/// again when they are used.
static inline int clinux_drop_segments(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct clinux_loaded_file *file = (const struct clinux_loaded_file *)info;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int number = 0; number < file->count; number++) {
        const ElfW(Phdr) *segment = &file->segments[number];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = (file->start + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = file->start + segment->p_vaddr + segment->p_filesz;
        madvise((void *)start, end - start, 4 /* MADV_DONTNEED */);
    }
    return 0;
}

/// Drops the pages of the program and its libraries that are as they are in their files.
static inline void clinux_drop_code(void) { dl_iterate_phdr(clinux_drop_segments, 0); }
// How a process lets all others go first, and ends with the one that started it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Makes the kernel kill this process when the thread that started it ends.
static inline int clinux_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

/// Keeps this process from leaving a core file when it crashes.
static inline int clinux_leave_no_core(void)
{
    struct rlimit none = { 0, 0 };
    return setrlimit(RLIMIT_CORE, &none);
}

enum { CLINUX_IO_IDLE = 3 };

/// Lets this thread use the disk only when nobody else does.
static inline int clinux_set_idle_io(void)
{
    return (int)syscall(SYS_ioprio_set, 1, 0, CLINUX_IO_IDLE << 13);
}

/// The class by which a process uses the disk; -1 if there is no such process.
static inline int clinux_io_class(pid_t process)
{
    int priority = (int)syscall(SYS_ioprio_get, 1, process);
    return priority < 0 ? -1 : priority >> 13;
}

enum { CLINUX_PIDFD_PROCESS_GROUP = 4 };

/// Sends a signal to the process of a descriptor. Older C libraries do not have the call.
static inline int clinux_signal(int process, int signal)
{
    return (int)syscall(SYS_pidfd_send_signal, process, signal, (void *)0, 0);
}

/// Sends a signal to the process group that the process of a descriptor leads, since Linux 6.9.
static inline int clinux_signal_group(int leader, int signal)
{
    return (int)syscall(
        SYS_pidfd_send_signal, leader, signal, (void *)0, CLINUX_PIDFD_PROCESS_GROUP);
}
