/// The result of looking for new content in the background (F10).
public enum UIBackgroundFetchResult: UInt, Hashable, Sendable {
    /// Something new has come.
    case newData = 0
    /// There was nothing new.
    case noData = 1
    /// It was not possible to find out.
    case failed = 2
}
