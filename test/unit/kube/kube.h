/* kube.h - what the tests of the API server client share. */
#ifndef SHIKIRI_TEST_KUBE_H
#define SHIKIRI_TEST_KUBE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

#endif
