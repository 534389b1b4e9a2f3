/* pg_epoll PORT USER DATABASE IN_FLIGHT SECONDS quick|polite: the least a client can do for a PostgreSQL login without
 * TLS and without a password: one thread, one epoll, the bytes that peaje sends (start-up packet, `select 1`,
 * Terminate), one read and one write for each step. Prints one line of JSON. */
#include "common.h"

enum step { CONNECTING, STARTING, QUERYING, ENDING };

struct login {
    int fd;
    enum step step;
    size_t have;
    unsigned char bytes[8192];
};

static const char QUERY[] = "Q\0\0\0\15select 1";
static const char TERMINATE[] = "X\0\0\0\4";

static char startup[512];
static size_t startup_length;

static void add(const char *text) {
    size_t length = strlen(text) + 1;
    if (startup_length + length + 1 > sizeof startup) exit(2);
    memcpy(startup + startup_length, text, length);
    startup_length += length;
}

static void build_startup(const char *user, const char *database) {
    startup_length = 8;
    add("user"), add(user), add("database"), add(database), add("application_name"), add("peaje");
    startup[startup_length++] = 0;
    uint32_t header[2] = {htonl((uint32_t)startup_length), htonl(196608)};
    memcpy(startup, header, sizeof header);
}

static void send_all(int fd, const char *bytes, size_t length) {
    if (write(fd, bytes, length) != (ssize_t)length) fail("write");
}

/* Takes whole messages off the front. 1 = ReadyForQuery was among them, -1 = an error, 0 = more to come. */
static int take_messages(struct login *l) {
    size_t at = 0;
    int answer = 0;
    while (l->have - at >= 5) {
        uint32_t length;
        memcpy(&length, l->bytes + at + 1, 4);
        length = ntohl(length) + 1;
        if (l->have - at < length) break;
        if (l->bytes[at] == 'Z') answer = 1;
        if (l->bytes[at] == 'E') return -1;
        at += length;
    }
    memmove(l->bytes, l->bytes + at, l->have - at);
    l->have -= at;
    return answer;
}

/* One event of one login. 1 = this login is over, -1 = it failed, 0 = it goes on. */
static int advance(struct login *l, uint32_t events, int polite) {
    if (l->step == CONNECTING) {
        if (events & (EPOLLERR | EPOLLHUP)) return -1;
        if (!(events & EPOLLOUT)) return 0;
        send_all(l->fd, startup, startup_length);
        l->step = STARTING;
    }
    if (!(events & (EPOLLIN | EPOLLRDHUP))) return 0;
    for (;;) {
        size_t room = sizeof l->bytes - l->have;
        ssize_t n = read(l->fd, l->bytes + l->have, room);
        if (n < 0) return errno == EAGAIN ? 0 : -1;
        if (n == 0) return l->step == ENDING ? 1 : -1;
        l->have += (size_t)n;
        int ready = take_messages(l);
        if (ready < 0) return -1;
        if (ready && l->step == STARTING) {
            send_all(l->fd, QUERY, sizeof QUERY);
            l->step = QUERYING;
        } else if (ready && l->step == QUERYING) {
            send_all(l->fd, TERMINATE, sizeof TERMINATE - 1);
            if (!polite) return 1;
            l->step = ENDING;
        }
        if ((size_t)n < room && !(events & EPOLLRDHUP)) return 0;
    }
}

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: pg_epoll PORT USER DATABASE IN_FLIGHT SECONDS quick|polite\n");
        return 2;
    }
    int port = atoi(argv[1]), in_flight = atoi(argv[4]), polite = strcmp(argv[6], "polite") == 0;
    build_startup(argv[2], argv[3]);
    struct login *logins = calloc((size_t)in_flight, sizeof *logins);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    if (!logins || poller < 0) fail("start");
    double start = now(), end = start + atof(argv[5]), last = start;
    long completed = 0, failed = 0;
    int running = in_flight;
    for (int i = 0; i < in_flight; i++) logins[i].fd = dial(poller, port, (uint32_t)i);
    while (running > 0) {
        struct epoll_event events[64];
        int n = epoll_wait(poller, events, 64, 10000);
        if (n < 0 && errno != EINTR) fail("epoll_wait");
        if (n == 0) break;
        double at = now();
        for (int i = 0; i < n; i++) {
            uint32_t slot = events[i].data.u32;
            struct login *l = &logins[slot];
            int over = advance(l, events[i].events, polite);
            if (over == 0) continue;
            close(l->fd);
            if (over > 0) completed++, last = at;
            else failed++;
            *l = (struct login){.fd = -1, .step = CONNECTING};
            if (at < end && failed < 100) l->fd = dial(poller, port, slot);
            else running--;
        }
    }
    printf("{\"logins\": %ld, \"failed\": %ld, \"per_s\": %.3f}\n", completed, failed, (double)completed / (last - start));
    return failed > 0;
}
