import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongPlayback

/// Something that the full screen is given.
enum ScreenInput: Sendable {
    case size(ScreenLayout)
    case event(PlayerEvent)
    case stroke(KeyStroke)
    /// A report of the mouse, at a time in seconds.
    case mouse(Mouse, at: Double)
    case list(QueueList, for: QueueWindow.Request)
    case found(FoundItems, for: QueueSearch.Request)
    /// A change of the queue was made, or not, for this reason.
    case changed(problem: String?)
    /// The contents of the panel.
    case details(GetItem.Reply)
    case outputs(Outputs)
    /// The way in which the terminal shows pictures; nil if it does not.
    case pictures(PictureStyle?)
    /// The location of the current item's cover.
    case coverFound(GetCover.Reply)
    /// The cover was loaded; nil if it cannot be shown.
    case cover(Cover?)
    /// The playing time of the queue; nil if it could not be found out.
    case time(QueueTime?)
    case library(LibraryReply, for: LibraryRequest)
    /// The ratings of these tracks of the library have changed.
    case rated(RatedTracks)
    case folder(FolderListing, for: FolderRequest)
    case lyrics(LyricsReply, for: LyricsRequest)
    /// Lines to show in place of a pane.
    case text([String])
    case note(String)
    /// The time of the note with this number is over.
    case noteOver(Int)
}

/// Something that the full screen asks for.
enum ScreenCommand: Equatable, Sendable {
    case load(QueueWindow.Request)
    case search(QueueSearch.Request)
    case press(Key)
    case change(QueueChange)
    /// Play the item with this id.
    case play(Int)
    case add(Addition)
    case explain
    /// Ask for the details of the current item, and for the outputs.
    case look
    /// Ask where the current item's cover is.
    case findCover
    case loadCover(Cover.Request)
    /// Ask for the playing time of the queue, a moment later.
    case measure
    case browse(LibraryRequest)
    case rate(RateTracks)
    case list(FolderRequest)
    /// Add this folder to the library.
    case watch(FilePath)
    case findLyrics(LyricsRequest)
    /// Report when these times of an item are heard, in seconds, instead of earlier ones.
    case follow([Double])
    /// Seek to a time of the current item, in seconds.
    case seek(Double)
    /// Draw everything again.
    case repaint
    /// Report after a while that the time of the note with this number is over.
    case endNote(Int)
    case leave
}

/// A change of the queue, of items by their ids.
enum QueueChange: Equatable, Sendable {
    case undo, redo
    case remove([Int])
    /// Move an item after another one; to the front for nil.
    case move(Int, after: Int?)
}

/// Music to add to the queue.
struct Addition: Equatable, Sendable {
    /// Positions in the queue.
    enum Position: Equatable, Sendable {
        case end
        /// After the current item.
        case next
        /// After the current item, to be played at once.
        case now
    }

    var files: Files
    var position: Position
    /// Its name, for the note on what was done.
    var name: String

    /// The note on what was added.
    func note(_ reply: ExtendedQueue) -> String {
        guard reply.addedCount > 0 else {
            return reply.problems.first.map { "nothing was added: \($0)" } ?? "nothing was added"
        }
        let items = reply.addedCount == 1 ? name : "\(QueueText.count(reply.addedCount)) of \(name)"
        let failed = reply.failedCount.map { ", \($0) could not be: \(reply.problems.first ?? "")" }
        let done =
            switch position {
            case .end: "added"
            case .next: "plays next"
            case .now: "plays now"
            }
        return "\(done): \(items)\(failed ?? "")"
    }
}

/// The consequences of a key or a click in a pane.
struct PaneReaction: Equatable {
    var commands: [ScreenCommand] = []
    /// A note to show for a while.
    var note: String?
    /// True if the key has to be pressed again once a reply has come.
    var isHeld = false

    init(_ commands: ScreenCommand..., note: String? = nil, isHeld: Bool = false) {
        self.commands = commands
        self.note = note
        self.isHeld = isHeld
    }
}
