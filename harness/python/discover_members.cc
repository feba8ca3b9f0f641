#include "python/discover_members.h"

#include <set>
#include <string_view>
#include <vector>

#include "python/ref.h"

namespace refquake {
namespace {

// Splits "($self, x, y=(), /, *, z=None)" at its top-level commas.
std::vector<std::string_view> Parameters(std::string_view signature) {
  std::vector<std::string_view> parameters;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == '(' || c == '[' || c == '{') {
      if (++depth == 1) start = i + 1;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth == 0) parameters.push_back(signature.substr(start, i - start));
      if (depth <= 0) break;
    } else if (c == ',' && depth == 1) {
      parameters.push_back(signature.substr(start, i - start));
      start = i + 1;
    }
  }
  return parameters;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool IsDunder(const std::string& name) { return name.size() > 4 && name.starts_with("__") && name.ends_with("__"); }

bool IsProtocolMethod(const std::string& name) {
  static const std::set<std::string> names = {
      "__abs__",         "__add__",     "__aiter__",     "__and__",      "__anext__",    "__await__",    "__bool__",
      "__bytes__",       "__call__",    "__complex__",   "__contains__", "__copy__",     "__deepcopy__", "__delitem__",
      "__divmod__",      "__enter__",   "__eq__",        "__exit__",     "__float__",    "__floordiv__", "__format__",
      "__ge__",          "__getitem__", "__getstate__",  "__gt__",       "__hash__",     "__iadd__",     "__iand__",
      "__ilshift__",     "__imul__",    "__index__",     "__init__",     "__int__",      "__invert__",   "__ior__",
      "__irshift__",     "__isub__",    "__iter__",      "__itruediv__", "__ixor__",     "__le__",       "__len__",
      "__length_hint__", "__lshift__",  "__lt__",        "__matmul__",   "__missing__",  "__mod__",      "__mul__",
      "__ne__",          "__neg__",     "__next__",      "__or__",       "__pos__",      "__pow__",      "__radd__",
      "__rand__",        "__reduce__",  "__reduce_ex__", "__repr__",     "__reversed__", "__rmul__",     "__ror__",
      "__round__",       "__rshift__",  "__rsub__",      "__rxor__",     "__setitem__",  "__setstate__", "__sizeof__",
      "__str__",         "__sub__",     "__truediv__",   "__trunc__",    "__xor__"};
  return names.contains(name);
}

bool IsOwnAttribute(const std::string& name) {
  static const std::set<std::string> others = {"__class__", "__dict__", "__doc__", "__module__", "__weakref__"};
  return !others.contains(name);
}

Arity ArityOf(PyObject* callable) {
  Ref signature(PyObject_GetAttrString(callable, "__text_signature__"));
  const char* utf8 = signature && PyUnicode_Check(signature.get()) ? PyUnicode_AsUTF8(signature.get()) : nullptr;
  PyErr_Clear();
  if (!utf8) return {};
  Arity arity{0, 0};
  for (std::string_view parameter : Parameters(utf8)) {
    parameter = Trimmed(parameter);
    if (parameter.starts_with('$') || parameter == "/" || parameter.empty()) continue;
    if (parameter.starts_with("**")) continue;
    if (parameter == "*") return arity;  // what follows is passed by its name
    if (parameter.starts_with('*')) return {arity.least, -1};
    if (parameter.find('[') == 0) return {};  // optional groups: not worth the reading
    ++arity.most;
    if (parameter.find('=') == std::string_view::npos) ++arity.least;
  }
  return arity;
}

}  // namespace refquake
