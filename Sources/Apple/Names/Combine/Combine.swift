@_exported public import UndersongCombine
