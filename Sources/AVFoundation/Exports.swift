// What a file with only `import AVFoundation` may name, as on Apple's systems: Foundation with it,
// and the library that stands behind these names.
@_exported public import AudioSession
@_exported public import Foundation
