@_exported public import UndersongCoreMedia
