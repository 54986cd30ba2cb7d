/// Which cover is shown, and which one is to be loaded.
struct CoverPlace {
    /// How the terminal shows pictures; nil for not at all.
    var style: PictureStyle?
    /// The cells that there is room for; nil for none.
    var room: (columns: Int, rows: Int)?
    /// Where the current item's cover is.
    var url: String?
    private var requested: Cover.Request?
    private var loaded: Cover?

    /// The cover to show; nil if there is none, or it is not loaded yet.
    var shown: Cover? { loaded?.request == wanted ? loaded : nil }

    private var wanted: Cover.Request? {
        guard let style, let room, let url else { return nil }
        return Cover.Request(url: url, columns: room.columns, rows: room.rows, style: style)
    }

    /// The request that is due; nil if there is none.
    mutating func request() -> Cover.Request? {
        guard let wanted, wanted != requested else { return nil }
        requested = wanted
        return wanted
    }

    /// Handles the end of loading.
    mutating func store(_ cover: Cover?) { loaded = cover }
}
