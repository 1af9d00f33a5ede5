// The text of a reduction. One function gives a partial result for each result and tile; where
// there are several tiles, another combines them. On CUDA the threads of a block, its lanes, share
// a result and combine theirs by a tree; on the host there is one lane.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/user/user_reduction.h"
#include "codegen/user/user_text.h"

namespace cupola {
namespace {

std::string head(const std::string& name, int words, UserTarget target) {
  if (target == UserTarget::cuda) {
    return fmt::format(
        "extern \"C\" __global__ void {}(\n    const __grid_constant__ cupola_user::Words<{}> "
        "_words) {{\n",
        name, words);
  }
  return fmt::format(
      "extern \"C\" const unsigned long long {0}_bytes = {1};\n"
      "extern \"C\" void {0}(const void* _arguments, ptrdiff_t _first, ptrdiff_t _last) {{\n"
      "  const auto& _words = *static_cast<const cupola_user::Words<{2}>*>(_arguments);\n",
      name, 8 * words, words);
}

// The functions of the user, as functions of one element or of partial results.
std::string functions(const UserDefinition& definition, const UserVariant& variant) {
  const int kept = variant.rank, reduced = variant.reduced_rank;
  std::string text = user_declarations(definition, variant);
  text += fmt::format(
      "  const ptrdiff_t _results = _words.at[0], _length = _words.at[1], _tiles = _words.at[2];\n"
      "  const ptrdiff_t _tile = _words.at[3];\n"
      "  auto* const _scratch = _words.pointer<_type_reduce>(6);\n"
      "  CIndexer<{0}, {2}> _out_ind(_results, _words.at + {3});\n"
      "  CIndexer<{1}, {2}> _reduced_ind(_length, _words.at + {4});\n"
      "  CIndexer<{5}, {2}> _in_ind(_results * _length, _words.at + {3});\n",
      kept, reduced, variant.is_wide, kReductionWords, kReductionWords + kept, kept + reduced);
  text += "  const auto _reduce = [&](_type_reduce a, _type_reduce b) -> _type_reduce {\n";
  text += "    return static_cast<_type_reduce>(\n" + definition.reduce + "\n    );\n  };\n";
  text += fmt::format(
      "  const auto _offset = [&](const ptrdiff_t* _strides) {{\n"
      "    return _out_ind.offset(_strides) + _reduced_ind.offset(_strides + {});\n  }};\n",
      kept);
  text +=
      "  const auto _map = [&](ptrdiff_t _i, ptrdiff_t _J) -> _type_reduce {\n"
      "    const ptrdiff_t _j = _J * _results + _i;\n    (void)_j;\n    _reduced_ind.set(_J);\n"
      "    _in_ind.set(_i * _length + _J);\n";
  text += user_elements(definition, variant, true, "_offset");
  text += "    return static_cast<_type_reduce>(\n" + definition.map + "\n    );\n  };\n";
  text += "  const auto _post_map = [&](ptrdiff_t _i, _type_reduce a) {\n    (void)_i;\n";
  text += user_elements(definition, variant, false, "_out_ind.offset");
  text += definition.post_map + "\n;\n  };\n";
  text +=
      "  const auto _finish = [&](ptrdiff_t _i, ptrdiff_t _t, _type_reduce a) {\n"
      "    if (_tiles == 1) {\n      _post_map(_i, a);\n    } else {\n"
      "      _scratch[_i * _tiles + _t] = a;\n    }\n  };\n";
  return text;
}

std::string identity_of(const UserDefinition& definition) {
  return fmt::format("_type_reduce({})", definition.identity.value_or(""));
}

// `source(_i, _k)` is part number `_k` of `_count` of the result `_i`; `deliver` takes the whole.
std::string block_tree(const std::string& source, const std::string& empty,
                       const std::string& deliver) {
  std::string text =
      "  const ptrdiff_t _mine = min(static_cast<ptrdiff_t>(_lanes), _count);\n"
      "  if (_i < _results && _lane < _mine) {\n"
      "    _type_reduce _s = " +
      source +
      "(_lane);\n"
      "    for (ptrdiff_t _k = _lane + _lanes; _k < _count; _k += _lanes) {\n"
      "      _s = _reduce(_s, " +
      source +
      "(_k));\n    }\n"
      "    _shared[_slot * _lanes + _lane] = _s;\n  }\n"
      "  for (int _distance = _lanes / 2; _distance > 0; _distance /= 2) {\n"
      "    __syncthreads();\n"
      "    if (_i < _results && _lane < _distance && _lane + _distance < _mine) {\n"
      "      _type_reduce& _s = _shared[_slot * _lanes + _lane];\n"
      "      _s = _reduce(_s, _shared[_slot * _lanes + _lane + _distance]);\n    }\n  }\n"
      "  if (_i < _results && _lane == 0) {\n";
  if (!empty.empty()) text += "    if (_count == 0) _shared[_slot * _lanes] = " + empty + ";\n";
  return text + "    " + deliver + "\n  }\n";
}

std::string cuda_text(const UserDefinition& definition, const UserVariant& variant, int words) {
  const std::string shared = fmt::format(
      "  __shared__ __align__(16) unsigned char _bytes[{0} * sizeof(_type_reduce)];\n"
      "  auto* const _shared = reinterpret_cast<_type_reduce*>(_bytes);\n",
      kUserReductionThreads);
  std::string text = head(user_entry(definition, UserTarget::cuda), words, UserTarget::cuda);
  text += functions(definition, variant) + shared;
  text += fmt::format(
      "  const int _lanes = static_cast<int>(_words.at[4]), _slots = {} / _lanes;\n"
      "  const int _lane = _words.at[5] ? threadIdx.x % _lanes : threadIdx.x / _slots;\n"
      "  const int _slot = _words.at[5] ? threadIdx.x / _lanes : threadIdx.x % _slots;\n"
      "  const ptrdiff_t _i = static_cast<ptrdiff_t>(blockIdx.x) * _slots + _slot;\n"
      "  const ptrdiff_t _first = blockIdx.y * _tile;\n"
      "  const ptrdiff_t _count = min(_tile, _length - _first);\n"
      "  if (_i < _results) _out_ind.set(_i);\n"
      "  const auto _part = [&](ptrdiff_t _k) {{ return _map(_i, _first + _k); }};\n",
      kUserReductionThreads);
  text += block_tree("_part", definition.identity ? identity_of(definition) : "",
                     "_finish(_i, blockIdx.y, _shared[_slot * _lanes]);");
  text += "}\n" + head(user_entry(definition, UserTarget::cuda) + std::string(kFinishSuffix), words,
                       UserTarget::cuda);
  text += functions(definition, variant) + shared;
  text += fmt::format(
      "  (void)_map;\n  (void)_finish;\n  constexpr int _lanes = {};\n"
      "  const int _lane = threadIdx.x, _slot = 0;\n"
      "  const ptrdiff_t _i = blockIdx.x, _count = _tiles;\n"
      "  if (_i < _results) _out_ind.set(_i);\n"
      "  const auto _part = [&](ptrdiff_t _k) {{ return _scratch[_i * _tiles + _k]; }};\n",
      kUserReductionThreads);
  return text + block_tree("_part", "", "_post_map(_i, _shared[0]);") + "}\n";
}

// Several chains of dependent operations go on at the same time.
std::string chains() {
  constexpr int kChains = 8;
  std::string starts, steps, ends;
  for (int k = 1; k < kChains; ++k) {
    starts += fmt::format("      _type_reduce _s{} = _map(_i, _k++);\n", k);
    steps += fmt::format("        _s{0} = _reduce(_s{0}, _map(_i, _k + {0}));\n", k);
    ends += fmt::format("      _s = _reduce(_s, _s{});\n", k);
  }
  return fmt::format(
      "    if (_end - _begin >= {0}) {{\n{1}"
      "      for (; _k + {2} <= _end; _k += {2}) {{\n"
      "        _s = _reduce(_s, _map(_i, _k));\n{3}      }}\n{4}    }}\n",
      2 * kChains, starts, kChains, steps, ends);
}

std::string host_text(const UserDefinition& definition, const UserVariant& variant, int words) {
  std::string text = head(user_entry(definition, UserTarget::host), words, UserTarget::host);
  text += functions(definition, variant);
  // A block is one tile of one result, or of neighbours that lie side by side in memory.
  text += fmt::format(
      "  constexpr ptrdiff_t _most = {};\n"
      "  alignas(16) unsigned char _bytes[_most * sizeof(_type_reduce)];\n"
      "  auto* const _parts = reinterpret_cast<_type_reduce*>(_bytes);\n"
      "  for (ptrdiff_t _b = _first; _b < _last; ++_b) {{\n"
      "    const ptrdiff_t _i = _b / _tiles * _words.at[4], _t = _b % _tiles;\n"
      "    const ptrdiff_t _side = min(_words.at[4], _results - _i);\n"
      "    const ptrdiff_t _begin = _t * _tile, _end = min(_begin + _tile, _length);\n",
      kHostNeighbours);
  if (definition.identity) {
    text +=
        "    if (_begin == _end) {\n      for (ptrdiff_t _r = _i; _r < _i + _side; ++_r) {\n"
        "        _out_ind.set(_r);\n        _finish(_r, _t, " +
        identity_of(definition) + ");\n      }\n      continue;\n    }\n";
  }
  text +=
      "    if (_side > 1) {\n"
      "      for (ptrdiff_t _r = 0; _r < _side; ++_r) {\n"
      "        _out_ind.set(_i + _r);\n        _parts[_r] = _map(_i + _r, _begin);\n      }\n"
      "      for (ptrdiff_t _k = _begin + 1; _k < _end; ++_k) {\n"
      "        for (ptrdiff_t _r = 0; _r < _side; ++_r) {\n"
      "          _out_ind.set(_i + _r);\n"
      "          _parts[_r] = _reduce(_parts[_r], _map(_i + _r, _k));\n        }\n      }\n"
      "      for (ptrdiff_t _r = 0; _r < _side; ++_r) {\n"
      "        _out_ind.set(_i + _r);\n        _finish(_i + _r, _t, _parts[_r]);\n      }\n"
      "      continue;\n    }\n"
      "    _out_ind.set(_i);\n    ptrdiff_t _k = _begin;\n"
      "    _type_reduce _s = _map(_i, _k++);\n" +
      chains() +
      "    for (; _k < _end; ++_k) _s = _reduce(_s, _map(_i, _k));\n"
      "    _finish(_i, _t, _s);\n  }\n}\n";
  text += head(user_entry(definition, UserTarget::host) + std::string(kFinishSuffix), words,
               UserTarget::host);
  text += functions(definition, variant);
  text +=
      "  (void)_map;\n  (void)_finish;\n"
      "  for (ptrdiff_t _i = _first; _i < _last; ++_i) {\n    _out_ind.set(_i);\n"
      "    _type_reduce _s = _scratch[_i * _tiles];\n"
      "    for (ptrdiff_t _k = 1; _k < _tiles; ++_k) {\n"
      "      _s = _reduce(_s, _scratch[_i * _tiles + _k]);\n    }\n"
      "    _post_map(_i, _s);\n  }\n}\n";
  return text;
}

}  // namespace

std::int64_t user_partial_bytes(const UserDefinition& definition, const UserVariant& variant) {
  if (definition.reduce_type.empty()) {
    return static_cast<std::int64_t>(item_size(variant.arguments[definition.input_count()].dtype));
  }
  return kMaxPartialBytes;
}

std::string reduction_text(const UserDefinition& definition, const UserVariant& variant,
                           UserTarget target) {
  const int words = user_word_places(definition, variant).back();
  std::string text = user_type_definitions(definition, variant);
  text += fmt::format(
      "typedef {} _type_reduce;\n"
      "static_assert(sizeof(_type_reduce) <= {}, \"the reduce_type has too many bytes\");\n",
      user_partial_type(definition), user_partial_bytes(definition, variant));
  return text + (target == UserTarget::cuda ? cuda_text(definition, variant, words)
                                            : host_text(definition, variant, words));
}

}  // namespace cupola
