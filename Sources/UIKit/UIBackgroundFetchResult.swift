/// What came of fetching in the background (F10).
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// New data was fetched.
    case newData = 0
    /// There was nothing new.
    case noData = 1
    /// It could not be fetched.
    case failed = 2
}
