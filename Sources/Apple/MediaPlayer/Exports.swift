@_exported public import Foundation
// What a file that imports only `MediaPlayer` may use, as on Apple's systems. Of the framework this
// has Now Playing and the remote commands, but no media library.
@_exported public import UndersongAVFoundation
@_exported public import UndersongUIKit
