package import Playback
import Synchronization

/// What the decode thread tells; the handler runs on it.
package enum DecodeReport: Sendable {
    /// The passage is open and gets its place in the stream: its samples begin to flow. Time to give
    /// the next. It is told before anything is heard of the passage.
    case opened(Passage, MediaDescription)
    /// The item cannot be played, or not to its end.
    case failed(Passage, MediaError)
    /// The samples of the passage need more bits than those of the stream: it has to begin a stream of
    /// its own, and nothing of it is in this one.
    case needsWiderStream(Passage)
    /// The passage is decoded to its end; a failed one that never began is too.
    case ended(PassageID, wasOpened: Bool)
}

/// Says what the stream consists of: passages one after the other. Any thread may call it; nothing
/// here waits.
package final class DecodeControl: Sendable {
    enum Request: Equatable, Sendable {
        case play(Passage)
        case finish
    }

    private struct State {
        /// From where on the stream is replaced by what is requested; nil: nothing is.
        var cut: StreamCut?
        var requests: [Request] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    /// Plays `passage` behind the ones before it, without a gap; nil: nothing follows for now.
    package func append(_ passage: Passage?) {
        state.withLock { $0.requests.append(Self.request(passage)) }
        signals.decode.wake()
    }

    /// Lets `passage` follow from `cut` on, whatever stood there until now; nil: nothing follows.
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

    /// Ends the thread as soon as it looks.
    package func stop() {
        state.withLock { $0.isStopped = true }
        signals.decode.wake()
    }

    var isStopped: Bool { state.withLock(\.isStopped) }
    /// Whether there is a change to what is in the stream already.
    var hasChange: Bool { state.withLock { $0.cut != nil && !$0.requests.isEmpty } }
    var hasRequest: Bool { state.withLock { !$0.requests.isEmpty } }

    /// Takes the change and what follows it.
    func takeChange() -> (StreamCut, Request)? {
        state.withLock { state in
            guard let cut = state.cut, !state.requests.isEmpty else { return nil }
            state.cut = nil
            return (cut, state.requests.removeFirst())
        }
    }

    /// Puts a change back whose passage could not be played: the next request stands in for it.
    func restore(_ cut: StreamCut) {
        state.withLock { state in if state.cut == nil { state.cut = cut } }
    }

    /// Puts a request back in front, unless a newer change has made it void.
    func putBack(_ request: Request) {
        state.withLock { state in if state.cut == nil { state.requests.insert(request, at: 0) } }
    }

    func takeRequest() -> Request? {
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
