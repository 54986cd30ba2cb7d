/// Rings by both clocks. Any thread may call the methods.
package protocol Alarm: AnyObject, Sendable {
    /// Rings once, when CLOCK_BOOTTIME reaches `boot` or the date reaches `wall`, both in seconds, or
    /// when the date is set while it waits for one; nil for neither. Replaces what was set before.
    func set(boot: Double?, wall: Double?)

    /// Never rings again once this returns. Called once.
    func stop()
}
