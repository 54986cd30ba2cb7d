// Lets a file with only `import AVFoundation` use Foundation too, as on Apple's systems, and the
// library on which these names are built.
@_exported public import AudioSession
@_exported public import Foundation
