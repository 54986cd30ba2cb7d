/// Finished files that are to join the player's queue. A wish stays in the record until the player
/// has answered for good, so a wish that was sent may be sent again: the player knows it by its key.
extension TransferPolicy {
    /// Sends the wishes whose time has come.
    mutating func sendWishes(_ now: Moment, _ effects: inout [Effect]) {
        for id in wishes.sorted() where !sentWishes.contains(id) {
            guard let task = tasks[id], let wish = task.request.queue,
                case .finished(let path) = task.stage
            else { continue }
            guard waits[id].map({ now.boot >= $0.until }) ?? true else { continue }
            waits[id] = nil
            sentWishes.insert(id)
            effects.append(.join(id, path: path, wish))
        }
    }

    mutating func take(
        _ answer: QueueAnswer, of id: Int, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard sentWishes.remove(id) != nil, tasks[id]?.hasPendingWish ?? false else { return }
        switch answer {
        case .joined, .refused:
            wishes.remove(id)
            change(id, now, &effects) { $0.queueAnswer = answer }
        case .unavailable(let trouble):
            wait(id, for: .queue, trouble, atLeast: nil, now, &effects)
        }
        effects.append(.publish(id))
    }
}
