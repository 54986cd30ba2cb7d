/// The declarations of a program in a property list with Apple's keys, its `Info.plist`. Other keys
/// are ignored, as on iOS.
package struct AppManifest: Decodable, Hashable, Sendable {
    /// `CFBundleIdentifier`
    package var identifier: String?
    /// `CFBundleDisplayName`, or else `CFBundleName`
    package var name: String?
    /// `UIBackgroundModes`, as they are written
    package var modes: [String]
    /// `BGTaskSchedulerPermittedIdentifiers`
    package var permitted: [String]
    /// The texts `NSLocation…UsageDescription`, by their keys
    package var usage: [String: String]

    private enum Lists: String, CaseIterable {
        case modes = "UIBackgroundModes"
        case permitted = "BGTaskSchedulerPermittedIdentifiers"
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        func text(_ name: String) throws -> String? {
            try values.decodeIfPresent(String.self, forKey: Key(stringValue: name))
        }
        func list(_ name: Lists) throws -> [String] {
            try values.decodeIfPresent([String].self, forKey: Key(stringValue: name.rawValue)) ?? []
        }
        identifier = try text("CFBundleIdentifier")
        name = try text("CFBundleDisplayName") ?? text("CFBundleName")
        modes = try list(.modes)
        permitted = try list(.permitted)
        usage = [:]
        for key in values.allKeys.map(\.stringValue)
        where key.hasPrefix("NSLocation") && key.hasSuffix("UsageDescription") {
            usage[key] = try text(key)
        }
    }

    /// The modes that exist.
    package var knownModes: [BackgroundMode] { modes.compactMap(BackgroundMode.init) }

    /// The declared capabilities. Modes that do not exist are ignored.
    package var capabilities: Capabilities {
        Capabilities(
            backgroundModes: Set(knownModes), permittedIdentifiers: Set(permitted))
    }

    /// The reason why a file is none, from what a decoder has thrown: `its UIBackgroundModes is not a
    /// list of strings`.
    package static func reason(_ error: any Error) -> String {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?,
                .keyNotFound(_, let context)?, .dataCorrupted(let context)?:
                context
            case nil: nil
            @unknown default: nil
            }
        guard let key = context?.codingPath.first?.stringValue else {
            return "it is not a property list with a dictionary"
        }
        let kind = Lists(rawValue: key) == nil ? "a string" : "a list of strings"
        return "its \(key) is not \(kind)"
    }
}
