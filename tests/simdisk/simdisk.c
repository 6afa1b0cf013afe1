// SPDX-License-Identifier: GPL-3.0-or-later
//
// A disk whose truth is known: a FUSE file system with one file, kept in memory and served with a time model.
// A loop device with direct I/O on that file puts the kernel's real block layer and schedulers above it.
//
// Usage: simdisk MOUNTPOINT SIZE_MB PROFILE [NAME=VALUE …]   (stays in the foreground, ends when unmounted)
//   hdd    rpm=7200 track_us=800 seek_us=8500 rate_mb=150 ncq=4
//   flash  read_us=90 write_us=60 jump_us=400 rate_mb=500 channels=1
//   null   read_us=0
//
// hdd: one mechanism. A request that continues the last one costs transfer time only. Any other costs a seek that grows
// with the square root of the distance (track_us next door, seek_us on average, that is over a third of the disk),
// the rotation until its sector passes, and the transfer. Of the ncq oldest requests the nearest is served first, but
// none is passed over more than 16 times.
// flash: latency and transfer time; a write that does not continue the last one costs jump_us more. Each of its
// channels serves a request at a time with its share of the rate.
// null: nothing waits for anything else. A read of up to 64 KiB takes read_us, however many there are at once; longer
// reads, and writes, take no time.
//
// The server's threads only queue requests, or answer what takes no time; a thread for each channel (a hard disk has one)
// owns the time.
// Deadlines are absolute, so that late wake-ups do not add up.
#define FUSE_USE_VERSION 34
#define _GNU_SOURCE
#include <errno.h>
#include <fuse_lowlevel.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define FILE_INO 2
#define FILE_NAME "disk"
#define NSEC 1000000000LL
#define PATIENCE 16
#define SMALL_BYTES (64 << 10)
#define MOST_CHANNELS 16

struct model {
    enum { HDD, FLASH, NIL } kind;
    double rpm, track_us, seek_us, rate_mb, read_us, write_us, jump_us;
    int ncq, channels;
};

struct request {
    fuse_req_t req;
    bool write;
    off_t offset;
    size_t size;
    char *data;  // of a write: our copy
    int passed_over;
    int64_t arrived;
    struct request *next;
};

static struct model model = {HDD, 7200, 800, 8500, 150, 90, 60, 400, 4, 1};
static char *store;
static size_t store_size;
static struct request *queue;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static off_t head_at, last_write_end;
static bool ending;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NSEC + now.tv_nsec;
}

static void sleep_until(int64_t when) {
    struct timespec until = {when / NSEC, when % NSEC};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

// Seek time by distance: a + b * sqrt(d), through track_us for one track and seek_us for a third of the disk.
static int64_t seek_ns(off_t distance) {
    double part = (double)llabs(distance) / (double)store_size;
    double reach = (model.seek_us - model.track_us) / sqrt(1.0 / 3.0);
    return (int64_t)((model.track_us + reach * sqrt(part)) * 1000);
}

static int64_t transfer_ns(size_t size) { return (int64_t)(size * 1000.0 * model.channels / model.rate_mb); }

// How long until the sector of this offset passes the head at this moment.
static int64_t rotation_ns(off_t offset, int64_t moment) {
    int64_t turn = (int64_t)(60.0 / model.rpm * NSEC);
    int64_t track_bytes = (int64_t)(model.rate_mb * 1e6 * 60.0 / model.rpm);
    int64_t angle = (offset % track_bytes) * turn / track_bytes;
    int64_t wait = (angle - moment % turn) % turn;
    return wait < 0 ? wait + turn : wait;
}

static int64_t service_ns(const struct request *each, int64_t start) {
    if (model.kind == FLASH) {
        double us = each->write ? model.write_us : model.read_us;
        if (each->write && each->offset != last_write_end) us += model.jump_us;
        return (int64_t)(us * 1000) + transfer_ns(each->size);
    }
    if (each->offset == head_at) return transfer_ns(each->size);
    int64_t seek = seek_ns(each->offset - head_at);
    return seek + rotation_ns(each->offset, start + seek) + transfer_ns(each->size);
}

// Take the next request: the nearest of the ncq oldest, or the oldest when it was passed over too often.
static struct request *take(void) {
    struct request **best = &queue;
    if (model.kind == HDD && queue->passed_over < PATIENCE) {
        int looked = 0;
        off_t least = INT64_MAX;
        for (struct request **at = &queue; *at && looked < model.ncq; at = &(*at)->next, looked++) {
            off_t distance = llabs((*at)->offset - head_at);
            if (distance < least) least = distance, best = at;
        }
    }
    if (best != &queue) queue->passed_over++;
    struct request *taken = *best;
    *best = taken->next;
    return taken;
}

static void finish(struct request *each) {
    if (each->write) {
        memcpy(store + each->offset, each->data, each->size);
        fuse_reply_write(each->req, each->size);
        free(each->data);
    } else {
        fuse_reply_buf(each->req, store + each->offset, each->size);
    }
    free(each);
}

// Other processes of the machine must not show in the disk's times.
static void be_urgent(int priority) {
    struct sched_param urgent = {.sched_priority = priority};
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent);
}

static void *mechanism(void *unused) {
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1);
    be_urgent(21);
    int64_t free_at = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!queue && !ending) pthread_cond_wait(&filled, &lock);
        if (!queue) break;
        struct request *each = take();
        int64_t now = now_ns();
        // Requests that follow each other closely continue on the model's clock, not on that of late wake-ups.
        int64_t start = free_at > now - 200000 && free_at < now ? free_at : now;
        free_at = model.kind == NIL ? each->arrived + (int64_t)(model.read_us * 1000) : start + service_ns(each, start);
        head_at = each->offset + (off_t)each->size;
        if (each->write) last_write_end = head_at;
        pthread_mutex_unlock(&lock);
        if (free_at > now) sleep_until(free_at);
        finish(each);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void enqueue(fuse_req_t req, bool write, off_t offset, size_t size, const char *data) {
    if (offset < 0 || (size_t)offset >= store_size) {
        if (write)
            fuse_reply_err(req, ENOSPC);
        else
            fuse_reply_buf(req, NULL, 0);
        return;
    }
    if (size > store_size - (size_t)offset) size = store_size - (size_t)offset;
    struct request *each = calloc(1, sizeof *each);
    char *copy = write ? malloc(size) : NULL;
    if (!each || (write && !copy)) {
        free(each);
        free(copy);
        fuse_reply_err(req, ENOMEM);
        return;
    }
    if (copy) memcpy(copy, data, size);
    *each = (struct request){req, write, offset, size, copy, 0, now_ns(), NULL};
    if (model.kind == NIL && (write || size > SMALL_BYTES || model.read_us == 0)) {
        finish(each);
        return;
    }
    pthread_mutex_lock(&lock);
    struct request **end = &queue;
    while (*end) end = &(*end)->next;
    *end = each;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static struct stat stat_of(fuse_ino_t ino) {
    struct stat st = {.st_ino = ino, .st_uid = getuid(), .st_gid = getgid()};
    if (ino == FUSE_ROOT_ID) {
        st.st_mode = S_IFDIR | 0700;
        st.st_nlink = 2;
    } else {
        st.st_mode = S_IFREG | 0600;
        st.st_nlink = 1;
        st.st_size = (off_t)store_size;
        st.st_blksize = 4096;
    }
    return st;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name) {
    if (parent != FUSE_ROOT_ID || strcmp(name, FILE_NAME) != 0) {
        fuse_reply_err(req, ENOENT);
        return;
    }
    struct fuse_entry_param entry = {.ino = FILE_INO, .attr = stat_of(FILE_INO), .attr_timeout = 3600,
                                     .entry_timeout = 3600};
    fuse_reply_entry(req, &entry);
}

static void on_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info) {
    (void)info;
    struct stat st = stat_of(ino);
    fuse_reply_attr(req, &st, 3600);
}

static void on_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *wanted, int which, struct fuse_file_info *info) {
    (void)wanted, (void)which;
    on_getattr(req, ino, info);
}

static void on_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info) {
    if (ino != FILE_INO) {
        fuse_reply_err(req, EISDIR);
        return;
    }
    info->direct_io = 1;
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 15)
    info->parallel_direct_writes = 1;
#endif
    fuse_reply_open(req, info);
}

static void on_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *info) {
    (void)ino, (void)info;
    enqueue(req, false, offset, size, NULL);
}

static void on_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t offset,
                     struct fuse_file_info *info) {
    (void)ino, (void)info;
    enqueue(req, true, offset, size, data);
}

static void on_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *info) {
    (void)ino, (void)datasync, (void)info;
    fuse_reply_err(req, 0);
}

static void on_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length,
                         struct fuse_file_info *info) {
    (void)ino, (void)mode, (void)offset, (void)length, (void)info;
    fuse_reply_err(req, EOPNOTSUPP);
}

static void on_init(void *data, struct fuse_conn_info *conn) {
    (void)data;
    conn->max_background = 256;
    conn->congestion_threshold = 256;
    if (conn->capable & FUSE_CAP_ASYNC_DIO) conn->want |= FUSE_CAP_ASYNC_DIO;
}

static const struct fuse_lowlevel_ops operations = {.init = on_init,
                                                    .lookup = on_lookup,
                                                    .getattr = on_getattr,
                                                    .setattr = on_setattr,
                                                    .open = on_open,
                                                    .read = on_read,
                                                    .write = on_write,
                                                    .fsync = on_fsync,
                                                    .fallocate = on_fallocate};

static bool set(const char *text) {
    struct { const char *name; double *value; } known[] = {
        {"rpm", &model.rpm},         {"track_us", &model.track_us}, {"seek_us", &model.seek_us},
        {"rate_mb", &model.rate_mb}, {"read_us", &model.read_us},   {"write_us", &model.write_us},
        {"jump_us", &model.jump_us}};
    const char *equals = strchr(text, '=');
    if (!equals) return false;
    size_t length = (size_t)(equals - text);
    if (strncmp(text, "ncq=", 4) == 0) return (model.ncq = atoi(equals + 1)) > 0;
    if (strncmp(text, "channels=", 9) == 0) {
        model.channels = atoi(equals + 1);
        return model.channels > 0 && model.channels <= MOST_CHANNELS && model.kind == FLASH;
    }
    for (size_t at = 0; at < sizeof known / sizeof *known; at++)
        if (strlen(known[at].name) == length && strncmp(text, known[at].name, length) == 0)
            return (*known[at].value = atof(equals + 1)) >= 0;
    return false;
}

static bool read_arguments(int count, char **words) {
    if (count < 4 || atol(words[2]) <= 0) return false;
    store_size = (size_t)atol(words[2]) << 20;
    if (strcmp(words[3], "flash") == 0) {
        model.kind = FLASH;
        model.rate_mb = 500;
    } else if (strcmp(words[3], "null") == 0) {
        model.kind = NIL;
        model.read_us = 0;
    } else if (strcmp(words[3], "hdd") != 0) {
        return false;
    }
    for (int at = 4; at < count; at++)
        if (!set(words[at])) return false;
    return true;
}

static int serve(struct fuse_session *session) {
    pthread_t workers[MOST_CHANNELS];
    for (int at = 0; at < model.channels; at++)
        if (pthread_create(&workers[at], NULL, mechanism, NULL) != 0) return 1;
    be_urgent(20);  // the threads that the loop makes inherit it
    struct fuse_loop_config config = {.clone_fd = 0, .max_idle_threads = 4};
    int status = fuse_session_loop_mt(session, &config);
    pthread_mutex_lock(&lock);
    ending = true;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int at = 0; at < model.channels; at++) pthread_join(workers[at], NULL);
    return status != 0;
}

int main(int count, char **words) {
    if (!read_arguments(count, words)) {
        fprintf(stderr, "usage: simdisk MOUNTPOINT SIZE_MB hdd|flash|null [NAME=VALUE …]\n");
        return 2;
    }
    store = mmap(NULL, store_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (store == MAP_FAILED) return perror("memory"), 1;
#ifdef PR_SET_IO_FLUSHER
    // We serve writeback, so our own memory must never wait for it.
    prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
#endif
    char *arguments[] = {words[0]};
    struct fuse_args args = FUSE_ARGS_INIT(1, arguments);
    struct fuse_session *session = fuse_session_new(&args, &operations, sizeof operations, NULL);
    if (!session || fuse_session_mount(session, words[1]) != 0) return 1;
    fuse_set_signal_handlers(session);
    int status = serve(session);
    fuse_session_unmount(session);
    fuse_remove_signal_handlers(session);
    fuse_session_destroy(session);
    return status;
}
