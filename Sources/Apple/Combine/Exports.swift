// Combine for Linux: OpenCombine under Apple's name, so that sources that import Combine compile.
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
