@_exported public import Foundation
// Lets a file with only `import AVFoundation` use Foundation and the times too, as on Apple's systems.
@_exported public import UndersongCoreMedia
