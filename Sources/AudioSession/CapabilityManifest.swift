public import Background
import FoundationEssentials

/// The property list in which a host declares its background modes, with Apple's keys.
public enum CapabilityManifest {
    private struct Keys: Decodable {
        var backgroundModes: [String]?

        enum CodingKeys: String, CodingKey {
            case backgroundModes = "UIBackgroundModes"
        }
    }

    /// Reads the manifest at `path`. Keys and modes that are not known are passed over, as iOS does.
    /// Errors: Foundation's, when it cannot be read or is no property list.
    public static func capabilities(atPath path: String) throws -> Capabilities {
        let data = try Data(contentsOf: URL(filePath: path))
        let keys = try PropertyListDecoder().decode(Keys.self, from: data)
        return Capabilities(
            backgroundModes: Set((keys.backgroundModes ?? []).compactMap(BackgroundMode.init)))
    }
}
