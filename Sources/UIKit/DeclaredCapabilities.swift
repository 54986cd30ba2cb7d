import Background
import Foundation

extension Capabilities {
    /// The background modes declared under `UIBackgroundModes` in a bundle's `Info.plist`; none
    /// without such a list. Unknown keys are ignored.
    static func declared(in bundle: Bundle) -> Capabilities {
        let keys = bundle.object(forInfoDictionaryKey: "UIBackgroundModes") as? [Any] ?? []
        let modes = keys.compactMap { key in
            (key as? String).flatMap { BackgroundMode(rawValue: $0) }
        }
        return Capabilities(backgroundModes: Set(modes))
    }
}
