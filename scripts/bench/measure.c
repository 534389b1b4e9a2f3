/* measure FILE COMMAND ARGUMENT...: runs the command and appends one line of JSON to FILE: how long it took, the CPU it
 * and its children used, its peak memory, its exit status. Signals that end `measure` end the command. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: measure FILE COMMAND ARGUMENT...\n");
        return 2;
    }
    double start = now();
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 2;
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) < 0) {
        perror("wait4");
        return 2;
    }
    double wall = now() - start;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    FILE *out = fopen(argv[1], "a");
    if (!out) {
        perror(argv[1]);
        return 2;
    }
    fprintf(out, "{\"wall_s\": %.6f, \"user_s\": %.6f, \"system_s\": %.6f, \"peak_kib\": %ld, \"exit\": %d}\n", wall,
            seconds(used.ru_utime), seconds(used.ru_stime), used.ru_maxrss, code);
    fclose(out);
    return code;
}
