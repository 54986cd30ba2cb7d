// Times are Apple's, in a module of the same name, so that programs may import them alone.
@_exported public import UndersongCoreMedia
