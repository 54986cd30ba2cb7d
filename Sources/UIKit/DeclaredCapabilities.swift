import Background
import Foundation

extension Capabilities {
    /// The background modes that a bundle's `Info.plist` declares under `UIBackgroundModes`; none
    /// where it has no such list. What is no mode's key is left out.
    static func declared(in bundle: Bundle) -> Capabilities {
        let keys = bundle.object(forInfoDictionaryKey: "UIBackgroundModes") as? [Any] ?? []
        let modes = keys.compactMap { key in
            (key as? String).flatMap { BackgroundMode(rawValue: $0) }
        }
        return Capabilities(backgroundModes: Set(modes))
    }
}
