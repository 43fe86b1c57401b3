/* Functions that libc++ and sparsecfg call and that wasi-libc of 2022 lacks. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

int chmod(const char* path, mode_t mode) { return (void)path, (void)mode, 0; }

int fchmod(int file, mode_t mode) { return (void)file, (void)mode, 0; }

int fchmodat(int folder, const char* path, mode_t mode, int flags) {
  return (void)folder, (void)path, (void)mode, (void)flags, 0;
}

uid_t geteuid(void) { return 0; }

void* sparsecfg_tss_values[SPARSECFG_TSS_MAX];
unsigned sparsecfg_tss_count;

/* The objects of the only thread live until the program ends. */
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* dso) {
  return (void)destructor, (void)object, (void)dso, 0;
}

/* No destructor of a static object may run: exit() would call each through a pointer to another function type, which
   traps in WebAssembly for destructors that return `this`. */
int __wrap___cxa_atexit(void (*destructor)(void*), void* object, void* dso) {
  return (void)destructor, (void)object, (void)dso, 0;
}

/* --- realpath --- */

struct walk {
  char rest[PATH_MAX]; /* unresolved part */
  char done[PATH_MAX]; /* resolved part without a slash at its end */
  int links;
};

static int fail(int error) {
  errno = error;
  return -1;
}

/* Replaces the unresolved part by `head`, a slash and `tail`. */
static int put_before(struct walk* walk, const char* head, const char* tail) {
  char joined[PATH_MAX];
  if (strlen(head) + strlen(tail) + 2 > sizeof joined) return fail(ENAMETOOLONG);
  strcpy(joined, head);
  strcat(joined, "/");
  strcat(joined, tail);
  strcpy(walk->rest, joined);
  return 0;
}

static void remove_last(char* path) {
  char* slash = strrchr(path, '/');
  if (slash) *slash = '\0';
}

static int follow(struct walk* walk, const char* tail) {
  char link[PATH_MAX];
  if (++walk->links > 40) return fail(ELOOP);
  ssize_t size = readlink(walk->done, link, sizeof link - 1);
  if (size < 0) return -1;
  link[size] = '\0';
  if (link[0] == '/') {
    walk->done[0] = '\0';
  } else {
    remove_last(walk->done);
  }
  return put_before(walk, link, tail);
}

/* Resolves one component, which has `size` bytes. */
static int step(struct walk* walk, const char* component, size_t size) {
  struct stat status;
  char tail[PATH_MAX];
  size_t before = strlen(walk->done);
  strcpy(tail, component + size);
  if (size == 2 && memcmp(component, "..", 2) == 0) {
    remove_last(walk->done);
  } else if (size != 1 || *component != '.') {
    if (before + size + 2 > sizeof walk->done) return fail(ENAMETOOLONG);
    walk->done[before] = '/';
    memcpy(walk->done + before + 1, component, size);
    walk->done[before + 1 + size] = '\0';
    if (lstat(walk->done, &status) != 0) return -1;
    if (S_ISLNK(status.st_mode)) return follow(walk, tail);
    if (*tail && !S_ISDIR(status.st_mode)) return fail(ENOTDIR);
  }
  strcpy(walk->rest, tail);
  return 0;
}

static int start(struct walk* walk, const char* path) {
  char folder[PATH_MAX];
  if (!path || !*path) return fail(path ? ENOENT : EINVAL);
  if (*path == '/') return put_before(walk, "", path);
  return getcwd(folder, sizeof folder) ? put_before(walk, folder, path) : -1;
}

char* realpath(const char* path, char* resolved) {
  struct walk walk = {"", "", 0};
  if (start(&walk, path) != 0) return NULL;
  for (;;) {
    const char* component = walk.rest + strspn(walk.rest, "/");
    if (!*component) break;
    if (step(&walk, component, strcspn(component, "/")) != 0) return NULL;
  }
  const char* out = walk.done[0] ? walk.done : "/";
  return resolved ? strcpy(resolved, out) : strdup(out);
}
