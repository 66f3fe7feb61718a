#include "shikiri/base/version.h"

#include "version.h"

const char shk_version[] = SHK_VERSION;
const char shk_version_git[] = SHK_GIT;
const char shk_version_compiler[] = __VERSION__;
