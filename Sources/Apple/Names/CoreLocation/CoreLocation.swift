@_exported public import UndersongCoreLocation
