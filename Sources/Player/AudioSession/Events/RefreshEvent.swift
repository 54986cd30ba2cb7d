/// What becomes of a background fetch, refresh or processing task.
public struct RefreshEvent: Equatable, Sendable {
    /// Whether it is a task that processes, rather than one that looks for something new.
    public var isProcessing: Bool
    /// `scheduled`, `refused`, `began`, `expired` or `ended`.
    public var phase: String
    /// The identifier of the task.
    public var identifier: String
    /// The number of the run.
    public var task: Int?
    /// Why it runs: `schedule`, `push`, `simulate`, `foreground`, `command`.
    public var cause: String?
    /// `newData`, `noData`, `done`, `failed` or `overran`.
    public var result: String?
    /// How much is new.
    public var new: Int?
    /// How long it took, in seconds.
    public var seconds: Double?
    /// When it is due next, in seconds since 1970, if nothing has to change first.
    public var next: Double?
    /// What stands against it.
    public var because: String?

    /// Creates an event.
    public init(isProcessing: Bool, phase: String, identifier: String) {
        self.isProcessing = isProcessing
        self.phase = phase
        self.identifier = identifier
    }
}
