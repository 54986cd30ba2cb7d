// What a file with only `import MediaPlayer` may name, as on Apple's systems. Of the framework there
// are Now Playing and the remote commands; there is no media library.
@_exported public import AVFoundation
@_exported public import Foundation
@_exported public import UIKit
