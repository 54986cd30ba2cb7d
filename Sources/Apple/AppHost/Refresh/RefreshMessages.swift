import UndersongBackground

// The messages of a refresh center to the developer.

extension RefreshTask {
    /// Its name in messages.
    var name: String {
        kind == .fetch ? "background fetch \(number)" : "task \(identifier)"
    }
}

extension RefreshScheduler.Effect {
    /// The message to the developer; nil for none.
    var message: String? {
        switch self {
        case .keep, .refused, .ignored, .badge: return nil
        case .launch(let task): return "\(task.name) begins (\(task.cause.rawValue))"
        case .expire(let task): return "\(task.name) expires"
        case .ended(let task, let run):
            let result = run.result.map(\.rawValue) ?? ""
            let tenths = Int(((run.seconds ?? 0) * 10).rounded())
            return "\(task.name) ended: \(result) after \(tenths / 10).\(tenths % 10) s"
        case .scheduled(let identifier, let kind):
            let subject =
                kind == .fetch ? "background fetch" : "a request for task \(identifier)"
            return "\(subject) is scheduled"
        }
    }
}
