/* clock.h - the two clocks. Callers outside app and http get the time as a parameter. */
#ifndef SHIKIRI_BASE_CLOCK_H
#define SHIKIRI_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_REALTIME: for stamps that people read, and grants. */
int64_t shk_clock_wall_s(void);
/* CLOCK_BOOTTIME: for deadlines; setting the wall clock changes nothing, suspension counts. */
int64_t shk_clock_boot_ms(void);
int64_t shk_clock_boot_us(void);

#endif
