import CoreMedia

extension CMTime {
    /// The time as Foundation has it.
    var interval: TimeInterval { seconds }
}
