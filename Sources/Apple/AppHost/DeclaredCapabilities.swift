package import Foundation
package import UndersongBackground

extension Capabilities {
    /// The declarations in a bundle's `Info.plist`: the background modes under `UIBackgroundModes`
    /// (B1), and the identifiers of background tasks under `BGTaskSchedulerPermittedIdentifiers`
    /// (G1). Nothing without such lists. Unknown modes are ignored.
    package static func declared(in bundle: Bundle) -> Capabilities {
        let modes = words("UIBackgroundModes", in: bundle).compactMap(
            BackgroundMode.init(rawValue:))
        let identifiers = words("BGTaskSchedulerPermittedIdentifiers", in: bundle)
        return Capabilities(
            backgroundModes: Set(modes), permittedIdentifiers: Set(identifiers))
    }

    private static func words(_ key: String, in bundle: Bundle) -> [String] {
        let values = bundle.object(forInfoDictionaryKey: key) as? [Any] ?? []
        return values.compactMap { $0 as? String }
    }
}
