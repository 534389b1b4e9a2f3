/* bare_client PORT IN_FLIGHT SECONDS: connect, send one message, read the answer, close; again and again, IN_FLIGHT at a
 * time. One thread, one epoll. Prints one line of JSON. */
#include "bare.h"

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: bare_client PORT IN_FLIGHT SECONDS\n");
        return 2;
    }
    int port = atoi(argv[1]), in_flight = atoi(argv[2]), running = in_flight;
    struct { int fd, sent; } *slots = calloc((size_t)in_flight, sizeof *slots);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    if (!slots || poller < 0) fail("start");
    char message[BARE_MESSAGE] = {0};
    double start = now(), end = start + atof(argv[3]), last = start;
    long completed = 0, failed = 0;
    for (int i = 0; i < in_flight; i++) slots[i].fd = dial(poller, port, (uint32_t)i);
    while (running > 0) {
        struct epoll_event events[64];
        int n = epoll_wait(poller, events, 64, 10000);
        if (n < 0 && errno != EINTR) fail("epoll_wait");
        if (n == 0) break;
        double at = now();
        for (int i = 0; i < n; i++) {
            uint32_t slot = events[i].data.u32;
            int fd = slots[slot].fd, over = 0;
            if (events[i].events & (EPOLLERR | EPOLLHUP)) over = -1;
            else if (events[i].events & EPOLLIN) over = read(fd, message, sizeof message) == sizeof message ? 1 : -1;
            else if (!slots[slot].sent && events[i].events & EPOLLOUT) {
                slots[slot].sent = 1;
                if (write(fd, message, sizeof message) != sizeof message) over = -1;
            }
            if (over == 0) continue;
            close(fd);
            if (over > 0) completed++, last = at;
            else failed++;
            slots[slot].sent = 0;
            if (at < end && failed < 100) slots[slot].fd = dial(poller, port, slot);
            else running--;
        }
    }
    printf("{\"logins\": %ld, \"failed\": %ld, \"per_s\": %.3f}\n", completed, failed, (double)completed / (last - start));
    return failed > 0;
}
