import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

/// The state of the host, and what its keys do.
extension Service {
    /// Reports the host's state to the service.
    func enter(_ state: ApplicationState, _ source: String) {
        send(Attach(state: state, source: source))
    }

    /// Sends the command for a key, if the service has one, and passes what it did to `note`, if that
    /// is not to be seen in the line anyway.
    func press(_ key: Key, _ note: @escaping @Sendable (String) -> Void = { _ in }) {
        var change = SettingsChange()
        switch key {
        case .player(let command): return send(Command(command))
        case .seek(let seconds):
            return send(SeekBy(WireTime(value: Int64(seconds), timescale: 1)))
        case .part(let fraction): return send(SeekToPart(fraction))
        case .volume(let percent): change.volumeBy = percent
        case .mute: change.toggleMuted = true
        case .rate(let factor?): change.rateBy = factor
        case .rate(nil): change.rate = 1
        case .shuffle: change.toggleShuffle = true
        case .repeatMode: change.nextRepeat = true
        case .quit, .detach, .help: return
        case .unknown: return note("? shows the keys")
        }
        send(SetSettings(change)) { reply in
            if let settings = try? reply.get() { note(NoteText.text(key, settings)) }
        }
    }
}
