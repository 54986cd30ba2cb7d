import Glibc
import UndersongBackground
import UndersongControl

/// `undersong` alone: the status if a service is running, otherwise how to begin.
enum Overview {
    static let introduction = """
        No service is running, so nothing is playing.

          undersong play FILE...     play files, folders and playlists
          undersong play             resume the last queue
          undersong queue add FILE   add to the queue without playing
          undersong ui               show the queue full screen
          undersong doctor           find out what keeps music from playing
          undersong --help           list all verbs

        """

    /// Shows it. The service is not started by that.
    static func show() throws {
        guard
            let service = try? Service(
                to: "show the status", session: SessionName.standard)
        else { return writeOutput(introduction) }
        SessionOptions(json: false).show(try service.call(GetStatus()), StatusText.screen)
    }
}
