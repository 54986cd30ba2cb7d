import Synchronization
package import UndersongPlayback

/// Reports of the decode thread; the handler runs on it.
package enum DecodeReport: Sendable {
    /// The passage is open and gets its place in the stream: its samples begin to flow, and it is
    /// time to append the next. Reported before anything of the passage is heard.
    case opened(Passage, MediaDescription)
    /// The item cannot be played, or cannot be played to its end.
    case failed(Passage, MediaError)
    /// The passage has more bits than the stream: it must start a stream of its own, and nothing of it
    /// is in this one.
    case needsWiderStream(Passage)
    /// The passage is decoded to its end; also reported for a failed one that never began.
    case ended(PassageID, wasOpened: Bool)
    /// The bytes for which it waited have arrived.
    case supplied
    /// A live stream has this title from this time of the item on, which is not heard yet.
    case titled(String, at: CMTime)
}

/// Determines the contents of the stream: passages one after another. Any thread may call it;
/// nothing here waits.
package final class DecodeControl: Sendable {
    enum Request: Equatable, Sendable {
        case play(Passage)
        case finish
    }

    private struct State {
        /// From where on the requests replace the stream; nil if they only append.
        var cut: StreamCut?
        var requests: [Request] = []
        /// The passage being opened or decoded; nil for none.
        var passage: PassageID?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    /// Plays `passage` after the earlier ones without a gap; nil if nothing follows for now.
    package func append(_ passage: Passage?) {
        state.withLock { $0.requests.append(Self.request(passage)) }
        signals.decode.wake()
    }

    /// Plays `passage` from `cut` on instead of what was there; nil if nothing follows.
    package func splice(_ passage: Passage?, at cut: StreamCut) {
        state.withLock { state in
            if case .after(let id) = cut, let index = state.requests.firstIndex(of: id) {
                state.requests.removeSubrange((index + 1)...)
            } else {
                state.requests = []
                state.cut = cut
            }
            state.requests.append(Self.request(passage))
        }
        signals.decode.wake()
    }

    /// Ends the thread as soon as it checks.
    package func stop() {
        state.withLock { $0.isStopped = true }
        signals.decode.wake()
    }

    var isStopped: Bool { state.withLock(\.isStopped) }
    /// True if there is a change to what is in the stream already.
    var hasChange: Bool { state.withLock { $0.cut != nil && !$0.requests.isEmpty } }
    var hasRequest: Bool { state.withLock { !$0.requests.isEmpty } }

    /// True if a wait for the bytes of the passage being opened or decoded has to end: it is not
    /// wanted any more, as opposed to what follows it.
    var isInterrupted: Bool {
        state.withLock { state in
            guard !state.isStopped else { return true }
            guard let cut = state.cut, !state.requests.isEmpty else { return false }
            return state.passage.map { cut != .after($0) } ?? true
        }
    }

    /// Sets the passage being opened or decoded; nil for none.
    func setPassage(_ id: PassageID?) { state.withLock { $0.passage = id } }

    /// Removes and returns the change and what follows it.
    func popChange() -> (StreamCut, Request)? {
        state.withLock { state in
            guard let cut = state.cut, !state.requests.isEmpty else { return nil }
            state.cut = nil
            return (cut, state.requests.removeFirst())
        }
    }

    /// Puts a change back whose passage could not be played, for the next request to replace it.
    func restore(_ cut: StreamCut) {
        state.withLock { state in if state.cut == nil { state.cut = cut } }
    }

    /// Puts a request back in front, unless a newer change has superseded it.
    func requeue(_ request: Request) {
        state.withLock { state in if state.cut == nil { state.requests.insert(request, at: 0) } }
    }

    func popRequest() -> Request? {
        state.withLock { state in
            state.cut != nil || state.requests.isEmpty ? nil : state.requests.removeFirst()
        }
    }

    private static func request(_ passage: Passage?) -> Request {
        passage.map(Request.play) ?? .finish
    }
}

extension [DecodeControl.Request] {
    fileprivate func firstIndex(of id: PassageID) -> Int? {
        firstIndex { request in
            if case .play(let passage) = request { passage.id == id } else { false }
        }
    }
}
