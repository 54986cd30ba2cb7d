import ArgumentParser
import UndersongBackground
import UndersongCommandOptions
import UndersongLibrary

/// `undersong rating`: shows or changes a rating.
struct RatingVerb: Verb {
    static let configuration = described(
        "rating", "Show or change the rating of the current item, or of what a query finds.",
        discussion: """
            \(QueryArguments.help)

            Examples:
              undersong rating 5
              undersong rating 4 album:Homogenic
              undersong library tracks rating:4..
            """)

    @Argument(help: "1 to 5, or 0 for none; without it, the rating is shown.") var rating: Int?
    @OptionGroup var found: QueryArguments
    @OptionGroup var options: SessionOptions

    func validate() throws {
        guard let rating, !(0...5 ~= rating) else { return }
        throw ValidationError("'\(rating)' is not a rating from 0 to 5.")
    }

    func perform() throws {
        guard let rating else {
            return try options.showTrack(to: "show the rating") { track in
                track.rating.map { "rating \($0)" } ?? "not rated"
            }
        }
        try options.rate(found, to: "change the rating") { query in
            (
                RateTracks(query: query, rating: rating),
                { _ in rating == 0 ? "not rated" : "rating \(rating)" }
            )
        }
    }
}

/// `undersong favourite`: shows or changes whether a track is a favourite.
struct FavouriteVerb: Verb {
    /// The new state.
    enum State: String, Choice { case on, off, toggle }

    static let configuration = described(
        "favourite", "Make the current item a favourite, or what a query finds.",
        discussion: """
            \(QueryArguments.help)

            Examples:
              undersong favourite on
              undersong favourite off artist:björk
              undersong play --library is:favourite
            """)

    @Argument(choice: "on, off or toggle; without it, the state is shown.") var state: State?
    @OptionGroup var found: QueryArguments
    @OptionGroup var options: SessionOptions

    func perform() throws {
        guard let state else {
            return try options.showTrack(to: "show the favourite", Self.text)
        }
        try options.rate(found, to: "change the favourite") { query in
            switch state {
            case .on: (RateTracks(query: query, isFavourite: true), { _ in "favourite" })
            case .off: (RateTracks(query: query, isFavourite: false), { _ in "no favourite" })
            case .toggle:
                (
                    RateTracks(query: query, togglesFavourite: true),
                    { $0.track.map(Self.text) ?? "changed" }
                )
            }
        }
    }

    private static func text(_ track: Track) -> String {
        track.isFavourite ? "favourite" : "no favourite"
    }
}

extension SessionOptions {
    /// Rates the current item, or what a query finds, and shows the new state. `call` gets the
    /// query, and returns the call and the text of the state.
    fileprivate func rate(
        _ found: QueryArguments, to purpose: String,
        _ call: (String?) -> (RateTracks, state: (RatedTracks) -> String)
    ) throws {
        let query = found.words.isEmpty ? nil : try found.query(to: purpose)
        guard query?.text.isEmpty != true else {
            throw Failure("cannot \(purpose): The query is empty", status: 64)
        }
        let (request, state) = call(query?.text)
        let reply = try service(to: purpose).call(request)
        show(reply) { LibraryText.rated($0, state($0)) }
        if reply.count == 0 { throw ExitCode(1) }
    }

    /// Shows something about the track that the current item plays.
    fileprivate func showTrack(to purpose: String, _ text: (Track) -> String) throws {
        let service = try service(to: purpose)
        guard let item = try service.call(GetStatus()).item else {
            throw Failure("cannot \(purpose): There is no current item")
        }
        guard let track = try LibraryPages(service: service).track(of: item) else {
            throw Failure(
                "cannot \(purpose): \(Columns.printable(item.path)) is not in the library; "
                    + "'undersong library add FOLDER' adds a folder")
        }
        show(RatedTracks(count: 1, track: track)) { LibraryText.rated($0, text(track)) }
    }
}
