package import UndersongBackground

/// The code that a background task runs, inside the service. A client that has registered for the
/// same identifier takes precedence. Called on the session's executor; must not block.
package struct RefreshHandler: Sendable {
    /// Begins the work, and calls the closure exactly once, on any thread, when that is done (F10).
    package var begin:
        @Sendable (RefreshTask, @escaping @Sendable (RefreshCompletion) -> Void) -> Void
    /// The work has to end within `RefreshTask.grace` seconds.
    package var expire: @Sendable (RefreshTask) -> Void

    package init(
        begin:
            @escaping @Sendable (RefreshTask, @escaping @Sendable (RefreshCompletion) -> Void) ->
            Void,
        expire: @escaping @Sendable (RefreshTask) -> Void = { _ in }
    ) {
        self.begin = begin
        self.expire = expire
    }
}
