#ifndef CARILLON_CEMBEDDEDFILES_FILES_H
#define CARILLON_CEMBEDDEDFILES_FILES_H

#include <stddef.h>

extern const unsigned char *const carillon_openapi;
extern const size_t carillon_openapi_size;

#endif
