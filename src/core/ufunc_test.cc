#include "core/ufunc.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/ufunc_signature.h"
#include "cupola/error.h"

namespace cupola {
namespace {

// A dtype code, or 'w', 'x', 'y', 'z' for a Python bool, int, float, complex.
OperandType operand(char code) {
  switch (code) {
    case 'w':
      return {DType::bool_, WeakKind::boolean};
    case 'x':
      return {DType::int64, WeakKind::integer};
    case 'y':
      return {DType::float64, WeakKind::floating};
    case 'z':
      return {DType::complex128, WeakKind::complex};
  }
  return {*find_dtype(code), std::nullopt};
}

// The loop's codes, inputs first; "" where NumPy raises TypeError.
std::string resolved(std::string_view name, std::string_view operands,
                     std::optional<DType> dtype = std::nullopt,
                     Casting casting = Casting::same_kind) {
  std::vector<OperandType> types;
  for (const char code : operands) types.push_back(operand(code));
  try {
    const UfuncLoop& loop = resolve_ufunc(*find_ufunc(name), types, dtype, casting);
    std::string codes;
    for (int i = 0; i < loop.input_count + loop.output_count; ++i) {
      codes += code_of(loop.types[static_cast<std::size_t>(i)]);
    }
    return codes;
  } catch (const TypeError&) {
    return "";
  }
}

std::string message_of(std::string_view name, std::string_view operands,
                       std::optional<DType> dtype = std::nullopt) {
  std::vector<OperandType> types;
  for (const char code : operands) types.push_back(operand(code));
  try {
    resolve_ufunc(*find_ufunc(name), types, dtype);
  } catch (const TypeError& error) {
    return error.what();
  }
  return "";
}

TEST(UfuncTable, RowsStandInTheOrderOfTheirIds) {
  std::set<std::string_view> names;
  for (int i = 0; i < kUfuncCount; ++i) {
    const UfuncInfo& info = all_ufuncs()[static_cast<std::size_t>(i)];
    EXPECT_EQ(static_cast<int>(info.id), i);
    const bool is_public = i < std::ssize(public_ufuncs());
    EXPECT_EQ(find_ufunc(info.name), is_public ? std::optional(info.id) : std::nullopt);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.loops.empty());
    EXPECT_FALSE(info.doc.empty());
    EXPECT_FALSE(info.expressions[0].empty());
    EXPECT_EQ(info.expressions[1].empty(), info.output_count == 1) << info.name;
  }
}

TEST(UfuncTable, TheLibrarysOwnRowsHaveNoName) {
  EXPECT_EQ(all_ufuncs()[public_ufuncs().size()].id, UfuncId::sort_digit);
  EXPECT_EQ(find_ufunc("sort_digit"), std::nullopt);
  EXPECT_EQ(find_ufunc("random_float64"), std::nullopt);
}

TEST(UfuncTable, RandomRowsTakePositionKeyAndDraw) {
  for (const UfuncInfo& info : all_ufuncs()) {
    const UfuncLoop positions{
        {DType::int64, DType::uint64, DType::uint64, info.loops[0].output(0)}, 3, 1};
    EXPECT_EQ(is_random(info.id), info.loops[0] == positions) << info.name;
  }
}

TEST(UfuncTable, AliasesNameRows) {
  EXPECT_EQ(find_ufunc("true_divide"), UfuncId::divide);
  EXPECT_EQ(find_ufunc("atan2"), UfuncId::arctan2);
  EXPECT_EQ(find_ufunc("matmul"), std::nullopt);
  for (const UfuncAlias& alias : ufunc_aliases()) EXPECT_EQ(find_ufunc(alias.name), alias.id);
}

struct Case {
  std::string_view name, operands, loop;
};

class Resolution : public ::testing::TestWithParam<Case> {};

TEST_P(Resolution, IsNumPys) {
  EXPECT_EQ(resolved(GetParam().name, GetParam().operands), GetParam().loop)
      << GetParam().name << " of " << GetParam().operands;
}

constexpr Case kCases[] = {
    {"add", "??", "???"},
    {"add", "bB", "hhh"},
    {"add", "qQ", "ddd"},
    {"add", "bx", "bbb"},
    {"add", "?x", "qqq"},
    {"add", "by", "ddd"},
    {"add", "fz", "FFF"},
    {"add", "xx", "qqq"},
    {"add", "Be", "eee"},
    {"add", "he", "fff"},
    {"add", "bE", "EEE"},
    {"add", "eE", "fff"},
    {"subtract", "??", ""},
    {"subtract", "?x", "qqq"},
    {"subtract", "?b", "bbb"},
    {"divide", "bb", "ddd"},
    {"divide", "??", "ddd"},
    {"divide", "bx", "ddd"},
    {"divide", "be", "eee"},
    {"divide", "fx", "fff"},
    {"floor_divide", "??", "bbb"},
    {"floor_divide", "FF", ""},
    {"power", "bx", "bbb"},
    {"float_power", "ff", "ddd"},
    {"float_power", "Fb", "DDD"},
    {"negative", "?", ""},
    {"sign", "?", ""},
    {"absolute", "F", "Ff"},
    {"absolute", "?", "??"},
    {"exp", "?", "ee"},
    {"exp", "b", "ee"},
    {"exp", "h", "ff"},
    {"exp", "i", "dd"},
    {"exp", "x", "dd"},
    {"exp", "E", "EE"},
    {"arctan2", "bb", "eee"},
    {"arctan2", "FF", ""},
    {"hypot", "fd", "ddd"},
    {"gcd", "??", ""},
    {"gcd", "?b", "bbb"},
    {"gcd", "ff", ""},
    {"bitwise_and", "fb", ""},
    {"bitwise_and", "?b", "bbb"},
    {"left_shift", "??", "bbb"},
    {"left_shift", "Bx", "BBB"},
    {"bitwise_count", "i", "iB"},
    {"bitwise_count", "?", "bB"},
    {"less", "qQ", "qQ?"},
    {"less", "Qq", "Qq?"},
    {"less", "bQ", "qQ?"},
    {"less", "Qx", "QQ?"},
    {"equal", "FD", "DD?"},
    {"logical_and", "bf", "ff?"},
    {"signbit", "i", "d?"},
    {"signbit", "F", ""},
    {"isnan", "q", "q?"},
    {"floor", "?", "??"},
    {"floor", "F", ""},
    {"ldexp", "fi", "fif"},
    {"ldexp", "fx", "fif"},
    {"ldexp", "?x", "eqe"},
    {"ldexp", "bb", "eie"},
    {"ldexp", "fQ", ""},
    {"ldexp", "yb", "did"},
    {"frexp", "f", "ffi"},
    {"modf", "e", "eee"},
    {"divmod", "bB", "hhhh"},
    {"maximum", "?w", "???"},
};

INSTANTIATE_TEST_SUITE_P(Table, Resolution, ::testing::ValuesIn(kCases));

TEST(ResolutionByDType, TheOutputChoosesTheLoop) {
  EXPECT_EQ(resolved("add", "bb", DType::float32), "fff");
  EXPECT_EQ(resolved("add", "dd", DType::float32), "fff");
  EXPECT_EQ(resolved("add", "dd", DType::int32), "");
  EXPECT_EQ(resolved("add", "dd", DType::int32, Casting::unsafe_), "iii");
  EXPECT_EQ(resolved("divide", "bb", DType::float32), "fff");
  EXPECT_EQ(resolved("divide", "bb", DType::int8), "");
  EXPECT_EQ(resolved("equal", "dd", DType::bool_), "dd?");
  EXPECT_EQ(resolved("equal", "dd", DType::float64), "");
  EXPECT_EQ(resolved("absolute", "D", DType::float64), "Dd");
  EXPECT_EQ(resolved("sign", "?", DType::int8), "bb");
}

// `fixed` has a letter per operand of the loop, '-' for one that is not fixed.
std::string resolved_with(std::string_view name, std::string_view operands, std::string_view fixed,
                          Casting casting = Casting::same_kind) {
  std::vector<OperandType> types;
  for (const char code : operands) types.push_back(operand(code));
  std::vector<std::optional<DType>> wanted;
  for (const char code : fixed) wanted.push_back(code == '-' ? std::nullopt : find_dtype(code));
  try {
    const UfuncLoop& loop = resolve_ufunc_with(*find_ufunc(name), types, wanted, casting);
    std::string text;
    for (std::size_t i = 0; i < fixed.size(); ++i) text += code_of(loop.types[i]);
    return text;
  } catch (const TypeError&) {
    return "";
  }
}

TEST(ResolutionBySignature, FixedTypesChooseTheLoop) {
  EXPECT_EQ(resolved_with("add", "dd", "fff"), "fff");
  EXPECT_EQ(resolved_with("add", "bb", "-d-"), "ddd");
  EXPECT_EQ(resolved_with("add", "dx", "f--"), "fff");
  EXPECT_EQ(resolved_with("add", "dd", "f-f"), "fff");
  EXPECT_EQ(resolved_with("add", "yq", "qqq"), "qqq");
  EXPECT_EQ(resolved_with("add", "zq", "qqq"), "");
  EXPECT_EQ(resolved_with("add", "bb", "---"), "bbb");
  EXPECT_EQ(resolved_with("less", "dd", "ff?"), "ff?");
  EXPECT_EQ(resolved_with("less", "dd", "--?"), "dd?");
  EXPECT_EQ(resolved_with("ldexp", "dq", "f--"), "fqf");
  EXPECT_EQ(resolved_with("ldexp", "dq", "-i-"), "did");
}

TEST(ResolutionBySignature, WhatNoLoopHasIsRefused) {
  EXPECT_EQ(resolved_with("add", "dd", "iid"), "");
  EXPECT_EQ(resolved_with("add", "dd", "f--"), "");
  EXPECT_EQ(resolved_with("add", "xd", "f--"), "");
  EXPECT_EQ(resolved_with("divmod", "dd", "--f-"), "");
  EXPECT_EQ(resolved_with("add", "dd", "iii"), "");
  EXPECT_EQ(resolved_with("add", "dd", "iii", Casting::unsafe_), "iii");
}

TEST(ResolutionByCasting, StricterThanTheLoopIsRefused) {
  EXPECT_EQ(resolved("add", "bf", std::nullopt, Casting::no), "");
  EXPECT_EQ(resolved("add", "ff", std::nullopt, Casting::no), "fff");
}

TEST(ResolutionErrors, NameTheUfuncAndTheTypes) {
  EXPECT_EQ(message_of("add", "dd", DType::int32),
            "Cannot cast ufunc 'add' input 0 from dtype('float64') to dtype('int32') with casting "
            "rule 'same_kind'");
  EXPECT_NE(message_of("bitwise_and", "fx")
                .find("'bitwise_and' not supported for the input types "
                      "(float32, Python int)"),
            std::string::npos);
  EXPECT_NE(message_of("negative", "?").find("use the `~` operator"), std::string::npos);
  EXPECT_NE(message_of("add", "d").find("takes 2 positional arguments but 1"), std::string::npos);
}

}  // namespace
}  // namespace cupola
