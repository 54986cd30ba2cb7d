/// A time for display: `4:05`, or `1:04:05` from one hour on. Fractions of a second are dropped.
package func clockText(_ seconds: Double) -> String {
    let seconds = seconds.isFinite ? Int(min(max(seconds, 0), 1e9)) : 0
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let tail = padded(seconds % 60)
    return hours > 0 ? "\(hours):\(padded(minutes)):\(tail)" : "\(minutes):\(tail)"
}

private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
