/* C11 threads for a system with one thread: every mutex is free, and no thread can be started. */
#ifndef SPARSECFG_WASM_THREADS_H
#define SPARSECFG_WASM_THREADS_H

#include <errno.h>
#include <time.h>

enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };

enum { mtx_plain, mtx_recursive, mtx_timed };

typedef struct {
  int unused;
} mtx_t;

typedef struct {
  int unused;
} cnd_t;

typedef struct {
  int done;
} once_flag;

#define ONCE_FLAG_INIT \
  { 0 }
typedef unsigned thrd_t;
typedef int (*thrd_start_t)(void*);
typedef unsigned tss_t;
typedef void (*tss_dtor_t)(void*);

#ifndef __cplusplus
#define thread_local _Thread_local
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Thread-specific values. libc++ uses few of them. */
enum { SPARSECFG_TSS_MAX = 16 };

extern void* sparsecfg_tss_values[SPARSECFG_TSS_MAX];
extern unsigned sparsecfg_tss_count;

static inline int mtx_init(mtx_t* mutex, int type) { return (void)mutex, (void)type, thrd_success; }

static inline int mtx_lock(mtx_t* mutex) { return (void)mutex, thrd_success; }

static inline int mtx_trylock(mtx_t* mutex) { return (void)mutex, thrd_success; }

static inline int mtx_unlock(mtx_t* mutex) { return (void)mutex, thrd_success; }

static inline void mtx_destroy(mtx_t* mutex) { (void)mutex; }

static inline int cnd_signal(cnd_t* condition) { return (void)condition, thrd_success; }

static inline int cnd_broadcast(cnd_t* condition) { return (void)condition, thrd_success; }

static inline int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  (void)condition, (void)mutex;
  __builtin_trap(); /* no other thread could end the wait */
}

static inline int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const struct timespec* end) {
  return (void)condition, (void)mutex, (void)end, thrd_timedout;
}

static inline void cnd_destroy(cnd_t* condition) { (void)condition; }

static inline void call_once(once_flag* flag, void (*function)(void)) {
  if (!flag->done) {
    flag->done = 1;
    function();
  }
}

static inline int thrd_equal(thrd_t one, thrd_t other) { return one == other; }

static inline int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  return (void)thread, (void)start, (void)argument, EAGAIN;
}

static inline thrd_t thrd_current(void) { return 1; }

static inline int thrd_join(thrd_t thread, int* result) { return (void)thread, (void)result, thrd_error; }

static inline int thrd_detach(thrd_t thread) { return (void)thread, thrd_error; }

static inline void thrd_yield(void) {}

static inline int thrd_sleep(const struct timespec* time, struct timespec* rest) { return nanosleep(time, rest); }

static inline int tss_create(tss_t* key, tss_dtor_t destructor) {
  (void)destructor; /* the only thread ends with the program */
  if (sparsecfg_tss_count == SPARSECFG_TSS_MAX) return thrd_error;
  *key = sparsecfg_tss_count++;
  return thrd_success;
}

static inline void* tss_get(tss_t key) { return sparsecfg_tss_values[key]; }

static inline int tss_set(tss_t key, void* value) { return sparsecfg_tss_values[key] = value, thrd_success; }

#ifdef __cplusplus
}
#endif

#endif
