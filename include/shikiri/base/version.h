/* version.h - what this build is. */
#ifndef SHIKIRI_BASE_VERSION_H
#define SHIKIRI_BASE_VERSION_H

extern const char shk_version[];     /* "0.1.0" */
extern const char shk_version_git[]; /* short commit id, or "unknown" */
extern const char shk_version_compiler[];

#endif
