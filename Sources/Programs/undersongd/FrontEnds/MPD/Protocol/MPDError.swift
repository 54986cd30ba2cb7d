/// The reason why a command of MPD's protocol has failed.
struct MPDError: Error, Hashable {
    /// The kinds of failure, by their numbers on the wire.
    enum Code: Int, CaseIterable {
        case notList = 1
        case argument = 2
        case password = 3
        case permission = 4
        case unknown = 5
        case noExist = 50
        case playlistMax = 51
        case system = 52
        case playlistLoad = 53
        case updateAlready = 54
        case playerSync = 55
        case exist = 56
    }

    /// The kind.
    var code: Code
    /// The text for users.
    var text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// The line that reports the error of the command `name` at an index of its list, from 0.
    func line(at index: Int, of name: String) -> [UInt8] {
        Array("ACK [\(code.rawValue)@\(index)] {\(name)} ".utf8) + MPDReply.safe(text) + [0x0a]
    }
}

extension MPDError {
    /// The error for a position that the queue does not have.
    static let badRange = MPDError(.argument, "Bad song index")
    /// The error for an id or a file that does not exist.
    static let noSuchSong = MPDError(.noExist, "No such song")
    /// The error for commands that need a current song.
    static let notPlaying = MPDError(.playerSync, "Not playing")

    init(_ error: ServiceError) {
        let code: Code =
            switch error.code {
            case .invalidValue: .argument
            case .notFound: .noExist
            case .notPossible: .system
            }
        self.init(code, error.description)
    }
}
