import CoreMedia

extension CMTime {
    /// Minutes and seconds, or dashes while the time is unknown.
    var positionalText: String {
        guard isNumeric else { return "-:--" }
        let seconds = Int(CMTimeGetSeconds(self).rounded(.down))
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
