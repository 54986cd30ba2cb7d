import Playback

/// Why a location on the command line is not a file.
package struct LocationError: Error, CustomStringConvertible {
    let name: FilePath
    let reason: String

    package var description: String { "cannot play \(name): \(reason)" }
}
