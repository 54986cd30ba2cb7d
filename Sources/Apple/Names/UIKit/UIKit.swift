@_exported public import UndersongUIKit
