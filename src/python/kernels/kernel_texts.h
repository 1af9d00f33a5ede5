#pragma once
// The docstrings of the classes of kernels that users write, and of their methods.

namespace cupola::python {

inline constexpr const char* kElementwiseKernelText = R"text(A function of each element, in C++.

In the body, `i` is the number of the element. It is compiled when first called with arguments of
such types: by NVRTC on CUDA devices, by the C++ compiler that is installed on CPU devices.

On CUDA devices a call with inputs alone is computed later, by one kernel with what stands
around it, where the body is a function of one element: without raw parameters, `i`, threads,
blocks, `return`, parts around the loop and options. Such a body is compiled without
contraction; options=('--fmad=true',) gives it a contracted kernel of its own.

Parameters
----------
in_params, out_params : str
    Declarations such as 'float32 x, raw T y': a type of NumPy or a letter that the arguments
    decide, `raw` for arrays that the body indexes itself.
operation : str
    The body.
name : str
reduce_dims : bool
    Makes no difference.
preamble : str
    Stands before the kernel.
no_return : bool
    Whether calls return nothing.
return_tuple : bool
    Whether calls return a tuple also of one output.
loop_prep, after_loop : str
    Stand before and behind the loop over elements.
options : tuple of str
    Of NVRTC.

Raises
------
ValueError
    For declarations that cannot be read.

Examples
--------
>>> import cupola as cp
>>> squares = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squares")
>>> squares(cp.asarray([5.0, 1.0]), 3.0).tolist()
[4.0, 4.0])text";

inline constexpr const char* kReductionKernelText =
    R"text(A reduction, in C++: map_expr of each element, reduce_expr of two such values `a` and `b`,
and post_map_expr, which stores `a` to the outputs.

Elements are combined in an order that depends on shapes and strides only.

On CUDA devices a call with inputs alone is computed later, by one kernel with what stands
around it, where the expressions are functions of values: no raw parameters, no places such
as `_J`, no threads or blocks, no options, no `reduce_type` of one's own. They are compiled
without contraction, and combine in the order of `sum`; options=('--fmad=true',) gives a
contracted kernel of its own.

Parameters
----------
in_params, out_params : str
    Declarations, as those of an ElementwiseKernel.
map_expr, reduce_expr, post_map_expr : str
identity : str or None
    Where a reduction starts. None: there must be elements.
name : str
reduce_type : str, optional
    The type of `a` and `b`, of at most 64 bytes; default: that of the first output.
reduce_dims : bool
    Makes no difference.
preamble : str
    Stands before the kernel.
options : tuple of str
    Of NVRTC.

Raises
------
ValueError
    For declarations that cannot be read.

Examples
--------
>>> import cupola as cp
>>> norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
>>> float(norm(cp.asarray([3.0, 4.0])))
5.0)text";

inline constexpr const char* kRawKernelText = R"text(A kernel in CUDA C++.

It belongs to no device: it is compiled when it is first needed, once for each
architecture, and loaded on a device when first launched there. Arguments are checked
against the kernel's signature; arrays are ordered with their other uses. Headers of the
toolkit and of the standard library are found with `jitify` and without.

Parameters
----------
code : str
name : str
    Of the kernel in `code`.
options : tuple of str
    Of the compiler.
backend : {'nvrtc', 'nvcc'}
translate_cucomplex : bool
    Whether names of cuComplex.h are translated.
enable_cooperative_groups : bool
    Whether all blocks run at the same time, so that they may wait for each other.
jitify : bool
    Makes no difference.

Examples
--------
>>> import cupola as cp
>>> doubled = cp.RawKernel('''extern "C" __global__ void doubled(float* x, int n) {
...   int i = blockIdx.x * blockDim.x + threadIdx.x;
...   if (i < n) x[i] *= 2;
... }''', "doubled")
>>> x = cp.ones(3, "float32")
>>> doubled((1,), (32,), (x, cp.int32(3)))
>>> x.tolist()
[2.0, 2.0, 2.0])text";

inline constexpr const char* kRawModuleText =
    R"text(CUDA C++ with several kernels, or a file with machine code (cubin, PTX, fatbin).

It belongs to no device: see RawKernel.

Parameters
----------
code : str, optional
path : str, optional
    Of a file with machine code; in the place of `code`.
options : tuple of str
    Of the compiler.
backend : {'nvrtc', 'nvcc'}
translate_cucomplex : bool
    Whether names of cuComplex.h are translated.
enable_cooperative_groups : bool
    Whether all blocks of a kernel run at the same time.
name_expressions : sequence of str, optional
    Instances of templates.
jitify : bool
    Makes no difference.

Raises
------
ValueError
    Without `code` and `path`, and for both.

Examples
--------
>>> import cupola as cp
>>> module = cp.RawModule(code='''extern "C" __global__ void one(int* x) { *x = 1; }
... extern "C" __global__ void two(int* x) { *x = 2; }''')
>>> x = cp.zeros(1, "int32")
>>> module.get_function("two")((1,), (1,), (x,))
>>> x.tolist()
[2])text";

inline constexpr const char* kRawKernelCompileText =
    R"text(Compiles and loads it for the current device now.

Parameters
----------
log_stream : object with a method `write`, optional
    Gets what the compiler says, where it says something.

Raises
------
cupola.errors.CompileException
    For code that does not compile.

Examples
--------
>>> import cupola as cp
>>> kernel = cp.RawKernel('extern "C" __global__ void f(int* x) { x[0] = 7; }', "f")
>>> kernel.compile())text";

inline constexpr const char* kRawModuleCompileText = R"text(Compiles it for the current device now.

Parameters
----------
log_stream : object with a method `write`, optional
    Gets what the compiler says, where it says something.

Raises
------
cupola.errors.CompileException
    For code that does not compile.

Examples
--------
>>> import cupola as cp
>>> module = cp.RawModule(code='extern "C" __global__ void f(int* x) { x[0] = 7; }')
>>> module.compile())text";

inline constexpr const char* kRawModuleGetFunctionText =
    R"text(A kernel by its name; it is looked up when first used.

Parameters
----------
name : str
    As in the code, or one of `name_expressions`.

Returns
-------
RawKernel

Examples
--------
>>> import cupola as cp
>>> module = cp.RawModule(code='extern "C" __global__ void f(int* x) { x[0] = 7; }')
>>> x = cp.zeros(1, "int32")
>>> module.get_function("f")((1,), (1,), (x,))
>>> x.tolist()
[7])text";

inline constexpr const char* kRawModuleGetGlobalText = R"text(A variable on the current device.

Parameters
----------
name : str
    As in the code.

Returns
-------
MemoryPointer
    To its bytes.

Raises
------
ValueError
    For a variable that the module does not have.

Examples
--------
>>> import cupola as cp
>>> module = cp.RawModule(code="__device__ int numbers[4];")
>>> pointer = module.get_global("numbers")
>>> pointer.memset(0, 16)
>>> pointer.mem.size
16)text";

}  // namespace cupola::python
