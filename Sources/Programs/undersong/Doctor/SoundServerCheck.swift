import CUndersongLinux
import Glibc
import UndersongCommandOptions

/// Checks whether a sound server answers, found in the same way as by the service's library.
enum SoundServerCheck {
    private static let subject = "sound server"
    private static let advice =
        "start it: systemctl --user start pulseaudio or pipewire-pulse, or pulseaudio --start"

    /// The finding for the sound server.
    static func finding(runtimeFolder: String) -> Finding {
        let address = Environment["PULSE_SERVER"]
        if let answer = Helper.output(of: ["pactl", "info"], within: 3000) {
            return answer.isEmpty
                ? .wrong(subject, "\(address ?? "the usual one") does not answer", advice)
                : .good(subject, summary(of: answer))
        }
        let path = socket(address, runtimeFolder: runtimeFolder)
        guard let path else {
            return .note(subject, "\(address ?? "") is not on this machine, and there is no pactl")
        }
        guard FileFacts(path)?.isSocket == true else {
            return .wrong(subject, "there is no socket \(path)", advice)
        }
        return answers(path)
            ? .good(subject, path) : .wrong(subject, "no server is listening on \(path)", advice)
    }

    /// The finding for the default sink's volume; nil if it is audible, or if that is unknown.
    static func loudness() -> Finding? {
        let answer = { (question: String) in
            Helper.output(of: ["pactl", question, "@DEFAULT_SINK@"], within: 3000) ?? ""
        }
        return loudness(mute: answer("get-sink-mute"), volume: answer("get-sink-volume"))
    }

    /// The finding for a sink's volume, as pactl reports it.
    static func loudness(mute: String, volume: String) -> Finding? {
        let subject = "default sink"
        if mute.hasPrefix("Mute: yes") {
            return .note(
                subject, "it is muted", "unmute it: pactl set-sink-mute @DEFAULT_SINK@ 0")
        }
        let levels = volume.split(whereSeparator: { " \n".contains($0) }).filter {
            $0.hasSuffix("%")
        }
        guard !levels.isEmpty, levels.allSatisfy({ $0 == "0%" }) else { return nil }
        return .note(
            subject, "its volume is 0", "raise it: pactl set-sink-volume @DEFAULT_SINK@ 50%")
    }

    /// The server's name and its default sink, from the output of `pactl info`.
    static func summary(of answer: String) -> String {
        let facts = ["Server Name", "Default Sink"].compactMap { name in
            answer.split(separator: "\n").first { $0.hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
        return facts.isEmpty ? "it answers" : facts.joined(separator: ", sink ")
    }

    /// The socket of a server on this machine; nil for a remote one.
    static func socket(_ address: String?, runtimeFolder: String) -> String? {
        guard let address else {
            let folder = Environment["PULSE_RUNTIME_PATH"] ?? runtimeFolder + "/pulse"
            return folder + "/native"
        }
        if address.hasPrefix("unix:") { return String(address.dropFirst(5)) }
        return address.hasPrefix("/") ? address : nil
    }

    /// True if a server listens on the socket at `path`.
    static func answers(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
