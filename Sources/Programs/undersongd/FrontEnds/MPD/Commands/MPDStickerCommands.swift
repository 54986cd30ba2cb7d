import UndersongBase
import UndersongLibrary

/// The commands for stickers, which are what the library keeps of its listeners.
extension MPDCommand {
    static let stickers = [
        MPDCommand("sticker", since: Version(15), .admin, 3...) {
            frontEnd, client, arguments, reply in
            guard arguments[1] == "song" else {
                throw MPDError(.argument, "unknown sticker domain")
            }
            let texts = arguments.all
            switch (texts[0], texts.count) {
            case ("get", 4):
                let track = try await frontEnd.track(texts[2])
                guard let value = MPDSticker(rawValue: texts[3])?.value(of: track) else {
                    throw MPDSticker.noSuchSticker
                }
                reply.add("sticker", "\(texts[3])=\(value)")
            case ("list", 3):
                let track = try await frontEnd.track(texts[2])
                for sticker in MPDSticker.allCases {
                    guard let value = sticker.value(of: track) else { continue }
                    reply.add("sticker", "\(sticker.rawValue)=\(value)")
                }
            case ("set", 5):
                let track = try await frontEnd.track(texts[2])
                let sticker = try MPDSticker(kept: texts[3])
                try await frontEnd.rate(track, sticker.change(to: texts[4]))
            case ("delete", 3), ("delete", 4):
                let track = try await frontEnd.track(texts[2])
                let stickers =
                    texts.count > 3
                    ? [try MPDSticker(kept: texts[3])] : [MPDSticker.rating, .like]
                guard stickers.contains(where: { $0.value(of: track) != nil }) else {
                    throw MPDSticker.noSuchSticker
                }
                for sticker in stickers { try await frontEnd.rate(track, sticker.removal()) }
            case ("find", 4), ("find", 6):
                let comparison =
                    try texts.count > 4
                    ? MPDSticker.Comparison(texts[4], texts[5]) : MPDSticker.Comparison.exists
                try await frontEnd.find(texts[3], comparison, in: texts[2], to: &reply)
            default: throw MPDError(.argument, "bad request")
            }
        }
    ]
}

/// The stickers that tracks have, by the names that MPD's clients have agreed on.
enum MPDSticker: String, CaseIterable, Sendable {
    /// From 2 to 10, for one to five stars.
    case rating
    /// 2 for a favourite.
    case like
    case playCount, skipCount
    /// In seconds since 1970.
    case lastPlayed

    static let noSuchSticker = MPDError(.noExist, "no such sticker")

    /// The sticker with a name.
    ///
    /// - Throws: The library does not keep it.
    fileprivate init(kept name: String) throws(MPDError) {
        guard let sticker = MPDSticker(rawValue: name) else {
            throw MPDError(
                .argument, "the library keeps the stickers rating and like, but not \(name)")
        }
        self = sticker
    }

    /// The value of a track; nil if it has none.
    func value(of track: Track) -> Int? {
        switch self {
        case .rating: track.rating.map { 2 * $0 }
        case .like: track.isFavourite ? 2 : nil
        case .playCount: track.playCount > 0 ? track.playCount : nil
        case .skipCount: track.skipCount > 0 ? track.skipCount : nil
        case .lastPlayed: track.lastPlayed.map { Int($0) }
        }
    }

    /// The change that gives it a value.
    ///
    /// - Throws: It cannot have it.
    func change(to text: String) throws(MPDError) -> RateTracks {
        switch self {
        case .rating:
            guard let value = Int(text), 0...10 ~= value else {
                throw MPDError(.argument, "a rating is from 0 to 10")
            }
            return RateTracks(rating: (value + 1) / 2)
        case .like:
            guard let value = Int(text), 0...2 ~= value else {
                throw MPDError(.argument, "like is from 0 to 2")
            }
            return RateTracks(isFavourite: value == 2)
        case .playCount, .skipCount, .lastPlayed:
            throw MPDError(.argument, "\(rawValue) is counted by the library")
        }
    }

    /// The change that removes it.
    ///
    /// - Throws: It cannot be removed.
    func removal() throws(MPDError) -> RateTracks { try change(to: "0") }

    /// A condition on a value.
    enum Comparison: Equatable, Sendable {
        case exists
        case equals(String)
        case isLess(String)
        case isGreater(String)

        init(_ sign: String, _ value: String) throws(MPDError) {
            switch sign {
            case "=": self = .equals(value)
            case "<": self = .isLess(value)
            case ">": self = .isGreater(value)
            default: throw MPDError(.argument, "bad operator")
            }
        }

        /// True if it holds: numbers are compared as numbers.
        func holds(_ value: Int) -> Bool {
            switch self {
            case .exists: true
            case .equals(let text): String(value) == text
            case .isLess(let text): Int(text).map { value < $0 } ?? (String(value) < text)
            case .isGreater(let text): Int(text).map { value > $0 } ?? (String(value) > text)
            }
        }
    }
}

extension MPDFrontEnd {
    fileprivate func track(_ uri: String) async throws(MPDError) -> Track {
        try await database().song(uri).track
    }

    fileprivate func rate(_ track: Track, _ change: RateTracks) async throws {
        var change = change
        change.tracks = [track.id]
        _ = try await player.rate(change)
    }

    /// Adds the songs in a folder whose sticker fulfils a condition.
    fileprivate func find(
        _ name: String, _ comparison: MPDSticker.Comparison, in folder: String,
        to reply: inout MPDReply
    ) async throws(MPDError) {
        guard let sticker = MPDSticker(rawValue: name) else { return }
        let filter = folder.isEmpty ? MPDFilter() : MPDFilter(.base(folder))
        // Nothing in a folder that is not there has a sticker.
        guard var matches = try? await database().songs(filter) else { return }
        while let found = try await matches.next() {
            for found in found {
                guard let value = sticker.value(of: found.track), comparison.holds(value) else {
                    continue
                }
                reply.add("file", found.song.uri)
                reply.add("sticker", "\(name)=\(value)")
            }
        }
    }
}
