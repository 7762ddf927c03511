// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // syscall numbers
#include "output/sandbox_filter.h"

/* A filter of system calls for the process that reads (seccomp): what computing with one file and
 * one socket takes, and nothing else. Whatever a crafted file makes of HDF5 can start no program,
 * make no socket and no process, send no signal, map no code, and open nothing. What is refused
 * fails with EPERM, as on a machine where the user may not: a C library that tries something new
 * works otherwise.
 * It needs no rights (PR_SET_NO_NEW_PRIVS), and works in containers. A kernel without it, and one
 * whose container refuses it, leave the limits of sandbox_child.c. Not under sanitizers, whose own
 * calls are theirs to choose. */

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#endif

#if defined __linux__ && !defined SANITIZED && (defined __x86_64__ || defined __aarch64__)

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Whatever their arguments are. */
static const unsigned allowed[] = {
    SYS_read,         SYS_write,          SYS_pread64,         SYS_readv,
    SYS_writev,       SYS_lseek,          SYS_fstat,           SYS_newfstatat,
    SYS_recvfrom,     SYS_sendto,         SYS_recvmsg,         SYS_sendmsg,
    SYS_shutdown,     SYS_close,          SYS_ppoll,           SYS_fadvise64,
#ifdef SYS_poll
    SYS_poll,
#endif
    SYS_brk,          SYS_munmap,         SYS_mremap,          SYS_madvise,
    SYS_futex,        SYS_exit,           SYS_exit_group,      SYS_rt_sigreturn,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_restart_syscall, SYS_setitimer,
#ifdef SYS_alarm
    SYS_alarm,
#endif
    SYS_getrusage,    SYS_getrlimit,      SYS_setrlimit,       SYS_clock_gettime,
    SYS_gettimeofday, SYS_getpid,         SYS_gettid,          SYS_getrandom,
    SYS_sched_yield,  SYS_uname,          SYS_sysinfo};

enum { NALLOWED = sizeof allowed / sizeof *allowed, MOST = 2 * NALLOWED + 32 };

typedef struct {
  struct sock_filter code[MOST];
  unsigned short n;
} program;

static void add(program *p, unsigned code, unsigned k, unsigned char yes, unsigned char no)
{
  p->code[p->n++] = (struct sock_filter){(unsigned short)code, yes, no, k};
}

static void load(program *p, size_t offset)
{
  add(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void finish(program *p, unsigned what)
{
  add(p, BPF_RET | BPF_K, what, 0, 0);
}

static const unsigned refuse = SECCOMP_RET_ERRNO | EPERM;

/* The call alone whose argument, of 32 bits, meets the test: equal to k, or without the bits k. */
static void allow_with(program *p, unsigned call, int argument, bool equal, unsigned k)
{
  add(p, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
  load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument); // little-endian
  add(p, BPF_JMP | (equal ? BPF_JEQ : BPF_JSET) | BPF_K, k, equal ? 0 : 1, equal ? 1 : 0);
  finish(p, SECCOMP_RET_ALLOW);
  finish(p, refuse);
}

bool cardan__sandbox_filter(void)
{
  program p = {.n = 0};
  load(&p, offsetof(struct seccomp_data, arch));
  add(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  finish(&p, refuse);
  load(&p, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < NALLOWED; i++) {
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
    finish(&p, SECCOMP_RET_ALLOW);
  }
  allow_with(&p, SYS_mmap, 2, false, PROT_EXEC);
  allow_with(&p, SYS_mprotect, 2, false, PROT_EXEC);
  allow_with(&p, SYS_prlimit64, 0, true, 0);               // its own
  allow_with(&p, SYS_tgkill, 0, true, (unsigned)getpid()); // abort
  finish(&p, refuse);
  const struct sock_fprog filter = {.len = p.n, .filter = p.code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#else

bool cardan__sandbox_filter(void)
{
  return false;
}

#endif
