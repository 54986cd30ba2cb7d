import CoreMedia
import Foundation

extension CMTime {
    /// The time as Foundation has it.
    var interval: TimeInterval { seconds }
}
