@_exported public import UndersongAVFoundation
