// SPDX-License-Identifier: GPL-3.0-or-later
//
// A disk whose truth is known: a FUSE file system with one file, kept in memory and served with a time model.
// A loop device with direct I/O on that file puts the kernel's real block layer and schedulers above it.
//
// Usage: simdisk MOUNTPOINT SIZE_MB PROFILE [NAME=VALUE …]   (stays in the foreground, ends when unmounted)
//   hdd    rpm=7200 track_us=800 seek_us=8500 rate_mb=150 ncq=4 patience=16 linger_us=0
//   flash  read_us=90 write_us=60 jump_us=400 rate_mb=500 channels=1
//   null   read_us=0
//   both hdd and flash: cache_mb=0 after_mb=0 recover_mb=0 band_mb=0 stall_mb=0 stall_ms=0
//
// Where there is a cache, the first cache_mb that are written have the disk's own speed, what follows after_mb in the
// mean; when nothing was asked of the disk for REST_NS, recover_mb a second are moved out of it. While the whole computer
// stands still, so does the disk: that is no rest. With band_mb what is owed is paid at once whenever so much was written,
// as a drive-managed SMR disk rewrites its bands. Each stall_mb of writing is followed by a stall of stall_ms, as by garbage
// collection.
// hdd: one mechanism. A request that continues the last one costs transfer time only. Any other costs a seek that grows
// with the square root of the distance (track_us next door, seek_us on average, that is over a third of the disk),
// the rotation until its sector passes, and the transfer. Of the ncq oldest requests the nearest is served first, but
// none is passed over more than patience times: with many, what is sequential leaves scattered reads waiting. With
// linger_us, a write is only served when there was no read for so long, as by a disk that has a cache for writes.
// flash: latency and transfer time; a write that does not continue the last one costs jump_us more. Each of its
// channels serves a request at a time with its share of the rate.
// With forgets=yes, any keeps no page that is noise: what files hold whose content nobody looks at takes no memory, what a
// file system writes is kept.
// Any also takes queue=FOLDER, the queue/ in sysfs of the loop device above it: a second file, queue_depth, is then what
// device/queue_depth of a SATA disk on AHCI is (sdev_store_queue_depth, ata_change_queue_depth). So many requests of the
// ncq are known to the disk, and so many the kernel hands on, but 4 at least: a loop device's tags are never fewer.
// null: nothing waits for anything else. A read of up to 64 KiB takes read_us, however many there are at once; longer
// reads, and writes, take no time.
//
// The server's threads only queue requests, or answer what takes no time; a thread for each channel (a hard disk has one)
// owns the time.
// Deadlines are absolute, so that late wake-ups do not add up.
#define FUSE_USE_VERSION 34
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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
#define DEPTH_INO 3
#define DEPTH_NAME "queue_depth"
#define NSEC 1000000000LL
#define MOST_DEPTH 32
#define LEAST_TAGS 4
#define PAGE_BYTES 4096
#define SAMPLE_BYTES 512
#define MOST_TRIES 100
#define REST_NS 500000000LL
#define TICK_NS 10000000LL
#define LATEST_TICK_NS 50000000LL
#define SMALL_BYTES (64 << 10)
#define MOST_CHANNELS 16

struct model {
    enum { HDD, FLASH, NIL } kind;
    double rpm, track_us, seek_us, linger_us, rate_mb, read_us, write_us, jump_us;
    double cache_mb, after_mb, recover_mb, band_mb, stall_mb, stall_ms;
    int ncq, patience, channels;
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

static struct model model = {.kind = HDD, .rpm = 7200, .track_us = 800, .seek_us = 8500, .rate_mb = 150, .read_us = 90,
                             .write_us = 60, .jump_us = 400, .ncq = 4, .patience = 16, .channels = 1};
static bool forgets;
static const char *queue_folder;
static int depth = MOST_DEPTH;
static pthread_mutex_t depth_lock = PTHREAD_MUTEX_INITIALIZER;
static char *store;
static size_t store_size;
static struct request *queue;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static off_t head_at, last_write_end;
static double cached_bytes, owed_ns, band_bytes, unstalled_bytes;
static int64_t busy_until, last_read, rested_ns;
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

// What a write costs beyond its service: beyond the cache the slower rate, and garbage collection.
static int64_t extra_ns(const struct request *each) {
    if (rested_ns > REST_NS) {
        cached_bytes -= (double)(rested_ns - REST_NS) / NSEC * model.recover_mb * 1e6;
        if (cached_bytes < 0) cached_bytes = 0;
    }
    rested_ns = 0;
    if (!each->write) return 0;
    double extra = 0;
    if (model.cache_mb > 0 && cached_bytes + (double)each->size <= model.cache_mb * 1e6) {
        cached_bytes += (double)each->size;
    } else if (model.cache_mb > 0) {
        owed_ns += (double)each->size * 1000.0 * model.channels * (1 / model.after_mb - 1 / model.rate_mb);
        band_bytes += (double)each->size;
        if (band_bytes >= model.band_mb * 1e6) extra = owed_ns, owed_ns = band_bytes = 0;
    }
    unstalled_bytes += (double)each->size;
    if (model.stall_mb > 0 && unstalled_bytes >= model.stall_mb * 1e6) extra += model.stall_ms * 1e6, unstalled_bytes = 0;
    return (int64_t)extra;
}

// Take the next request: the nearest of the ncq oldest (of the reads among them, where it lingers for those), or the
// oldest when it was passed over too often. None where it lingers: then that is until when.
static struct request *take(int64_t now, int64_t *until) {
    struct request **best = &queue;
    if (model.kind == HDD && queue->passed_over < model.patience) {
        int looked = 0, most = model.ncq < depth ? model.ncq : depth;
        off_t least = INT64_MAX;
        bool reads = false;
        for (struct request **at = &queue; *at && looked < most; at = &(*at)->next, looked++) {
            bool is_read = model.linger_us > 0 && !(*at)->write;
            off_t distance = llabs((*at)->offset - head_at);
            if (is_read < reads || (is_read == reads && distance >= least)) continue;
            least = distance, best = at, reads = is_read;
        }
        *until = last_read + (int64_t)(model.linger_us * 1000);
        if (model.linger_us > 0 && !reads && now < *until) return NULL;
    }
    if (best != &queue) queue->passed_over++;
    struct request *taken = *best;
    *best = taken->next;
    return taken;
}

// Random bytes are hardly ever zeros or ones alone; tables and bitmaps often are.
static bool is_noise(const char *page) {
    int plain = 0;
    for (int at = 0; at < SAMPLE_BYTES; at++) plain += page[at] == 0 || page[at] == (char)0xFF;
    return plain < SAMPLE_BYTES / 16;
}

static void keep(off_t offset, const char *data, size_t size) {
    if (!forgets || (offset | (off_t)size) % PAGE_BYTES) {
        memcpy(store + offset, data, size);
        return;
    }
    for (size_t at = 0; at < size; at += PAGE_BYTES)
        if (!is_noise(data + at)) memcpy(store + offset + at, data + at, PAGE_BYTES);
}

static void finish(struct request *each) {
    if (each->write) {
        keep(each->offset, each->data, each->size);
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

// Counts for how long nothing was asked of the disk. A tick that comes late, as the computer stood still, counts little.
static void *rest(void *unused) {
    (void)unused;
    be_urgent(22);
    int64_t last = now_ns();
    for (bool is_over = false; !is_over;) {
        sleep_until(last + TICK_NS);
        pthread_mutex_lock(&lock);
        int64_t now = now_ns(), passed = now - last;
        if (!queue && busy_until <= last) rested_ns += passed < LATEST_TICK_NS ? passed : LATEST_TICK_NS;
        is_over = ending;
        pthread_mutex_unlock(&lock);
        last = now;
    }
    return NULL;
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
        int64_t now = now_ns(), until = 0;
        struct request *each = take(now, &until);
        if (!each) {
            struct timespec time = {until / NSEC, until % NSEC};
            pthread_cond_clockwait(&filled, &lock, CLOCK_MONOTONIC, &time);
            pthread_mutex_unlock(&lock);
            continue;
        }
        // Requests that follow each other closely continue on the model's clock, not on that of late wake-ups.
        int64_t start = free_at > now - 200000 && free_at < now ? free_at : now;
        free_at = model.kind == NIL ? each->arrived + (int64_t)(model.read_us * 1000)
                                    : start + service_ns(each, start) + extra_ns(each);
        if (free_at > busy_until) busy_until = free_at;
        head_at = each->offset + (off_t)each->size;
        if (each->write)
            last_write_end = head_at;
        else
            last_read = free_at;
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

static bool read_queue(const char *name, char *text, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", queue_folder, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0) close(file);
    text[count < 0 ? 0 : count] = 0;
    return count > 0;
}

// A queue that is being changed by somebody else is busy.
static bool write_queue(const char *name, const char *text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", queue_folder, name);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        int file = open(path, O_WRONLY | O_CLOEXEC);
        ssize_t count = file < 0 ? -1 : write(file, text, strlen(text));
        if (file >= 0) close(file);
        if (count >= 0) return true;
        sleep_until(now_ns() + NSEC / 100);
    }
    return false;
}

// Change how many requests the kernel hands on, which it only does under none; all else stays.
static bool set_tags(int tags) {
    char schedulers[256], requests[32], wanted[32];
    if (!read_queue("scheduler", schedulers, sizeof schedulers)) return false;
    if (!read_queue("nr_requests", requests, sizeof requests)) return false;
    char *name = strchr(schedulers, '['), *end = name ? strchr(name, ']') : NULL;
    if (!end) return false;
    *end = 0;
    snprintf(wanted, sizeof wanted, "%d", tags < LEAST_TAGS ? LEAST_TAGS : tags);
    if (strcmp(++name, "none") == 0) return write_queue("nr_requests", wanted);
    bool done = write_queue("scheduler", "none") && write_queue("nr_requests", wanted);
    return write_queue("scheduler", name) && write_queue("nr_requests", requests) && done;
}

static void set_depth(fuse_req_t req, size_t size, const char *data) {
    char text[32] = "";
    memcpy(text, data, size < sizeof text ? size : sizeof text - 1);
    unsigned long wanted = strtoul(text, NULL, 0);
    if (wanted < 1 || wanted > MOST_DEPTH) {
        fuse_reply_err(req, EINVAL);
        return;
    }
    pthread_mutex_lock(&depth_lock);
    bool done = (int)wanted == depth || set_tags((int)wanted);
    if (done) {
        pthread_mutex_lock(&lock);
        depth = (int)wanted;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&depth_lock);
    if (done)
        fuse_reply_write(req, size);
    else
        fuse_reply_err(req, EIO);
}

static void tell_depth(fuse_req_t req, off_t offset) {
    char text[32];
    int length = snprintf(text, sizeof text, "%d\n", depth);
    fuse_reply_buf(req, text, offset == 0 ? (size_t)length : 0);
}

static struct stat stat_of(fuse_ino_t ino) {
    struct stat st = {.st_ino = ino, .st_uid = getuid(), .st_gid = getgid()};
    if (ino == FUSE_ROOT_ID) {
        st.st_mode = S_IFDIR | 0755;
        st.st_nlink = 2;
    } else if (ino == DEPTH_INO) {
        st.st_mode = S_IFREG | 0644;
        st.st_nlink = 1;
        st.st_size = 4096;
    } else {
        st.st_mode = S_IFREG | 0600;
        st.st_nlink = 1;
        st.st_size = (off_t)store_size;
        st.st_blksize = 4096;
    }
    return st;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name) {
    bool is_depth = queue_folder && strcmp(name, DEPTH_NAME) == 0;
    if (parent != FUSE_ROOT_ID || (!is_depth && strcmp(name, FILE_NAME) != 0)) {
        fuse_reply_err(req, ENOENT);
        return;
    }
    fuse_ino_t ino = is_depth ? DEPTH_INO : FILE_INO;
    struct fuse_entry_param entry = {.ino = ino, .attr = stat_of(ino), .attr_timeout = 3600, .entry_timeout = 3600};
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
    if (ino == FUSE_ROOT_ID) {
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
    (void)info;
    if (ino == DEPTH_INO)
        tell_depth(req, offset);
    else
        enqueue(req, false, offset, size, NULL);
}

static void on_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t offset,
                     struct fuse_file_info *info) {
    (void)info;
    if (ino == DEPTH_INO)
        set_depth(req, size, data);
    else
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
        {"linger_us", &model.linger_us},
        {"rate_mb", &model.rate_mb}, {"read_us", &model.read_us},   {"write_us", &model.write_us},
        {"jump_us", &model.jump_us}, {"cache_mb", &model.cache_mb}, {"after_mb", &model.after_mb},
        {"recover_mb", &model.recover_mb}, {"band_mb", &model.band_mb}, {"stall_mb", &model.stall_mb},
        {"stall_ms", &model.stall_ms}};
    const char *equals = strchr(text, '=');
    if (!equals) return false;
    size_t length = (size_t)(equals - text);
    if (strncmp(text, "ncq=", 4) == 0) return (model.ncq = atoi(equals + 1)) > 0;
    if (strncmp(text, "patience=", 9) == 0) return (model.patience = atoi(equals + 1)) >= 0;
    if (strncmp(text, "forgets=", 8) == 0) return forgets = true;
    if (strncmp(text, "queue=", 6) == 0) return *(queue_folder = equals + 1) == '/';
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
    return model.cache_mb == 0 || model.after_mb > 0;
}

static int serve(struct fuse_session *session) {
    pthread_t workers[MOST_CHANNELS], resting;
    bool recovers = model.recover_mb > 0;
    if (recovers && pthread_create(&resting, NULL, rest, NULL) != 0) return 1;
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
    if (recovers) pthread_join(resting, NULL);
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
    char *arguments[] = {words[0], "-oallow_other,default_permissions"};
    struct fuse_args args = FUSE_ARGS_INIT(2, arguments);
    struct fuse_session *session = fuse_session_new(&args, &operations, sizeof operations, NULL);
    if (!session || fuse_session_mount(session, words[1]) != 0) return 1;
    fuse_set_signal_handlers(session);
    int status = serve(session);
    fuse_session_unmount(session);
    fuse_remove_signal_handlers(session);
    fuse_session_destroy(session);
    return status;
}
