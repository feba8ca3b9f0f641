// Reads one op of a text program.
//
//   Op op;
//   Cursor cursor("a.next = b", 7);
//   if (!ParseOp(cursor, table, op)) report(*cursor.error());
#ifndef REFQUAKE_CORE_TEXT_OP_H_
#define REFQUAKE_CORE_TEXT_OP_H_

#include "core/cursor.h"
#include "core/program.h"

namespace refquake {

bool ParseOp(Cursor& cursor, const OpTable& table, Op& op);

}  // namespace refquake

#endif  // REFQUAKE_CORE_TEXT_OP_H_
