import Playback

/// Why what is named on the command line is no file.
package struct LocationError: Error, CustomStringConvertible {
    let name: FilePath
    let reason: String

    package var description: String { "cannot play \(name): \(reason)" }
}
