/* What a generated header includes: everything an accessor is made of. */
#ifndef YAFF_MESSAGE_H
#define YAFF_MESSAGE_H

#include <yaff/buffer.h>
#include <yaff/builder.h>
#include <yaff/dynamic.h>
#include <yaff/fixed.h>
#include <yaff/flat.h>
#include <yaff/gather.h>
#include <yaff/map.h>
#include <yaff/sparse.h>
#include <yaff/value.h>

#endif
