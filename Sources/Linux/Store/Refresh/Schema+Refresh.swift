extension Schema {
    /// The tables of background fetches, refreshes and processing. Dates are seconds since 1970,
    /// and `..._boot` seconds of CLOCK_BOOTTIME.
    static let refreshes = """
        -- What is requested and has not run.
        CREATE TABLE requests (
            identifier TEXT PRIMARY KEY, kind TEXT NOT NULL, earliest REAL,
            needs_network INTEGER NOT NULL, needs_power INTEGER NOT NULL, submitted REAL NOT NULL,
            submitted_boot REAL NOT NULL, checksum INTEGER NOT NULL);
        -- What has run; what was running when the service ended has no result.
        CREATE TABLE task_runs (
            number INTEGER PRIMARY KEY, identifier TEXT NOT NULL, kind TEXT NOT NULL,
            cause TEXT NOT NULL, began REAL NOT NULL, began_boot REAL NOT NULL, seconds REAL,
            result TEXT, new INTEGER NOT NULL, bytes INTEGER NOT NULL, checksum INTEGER NOT NULL);
        -- What was learned of the half-hours of working days and of weekends.
        CREATE TABLE usage (
            half_hour INTEGER PRIMARY KEY, opens REAL NOT NULL, news REAL NOT NULL,
            stretch REAL NOT NULL, open_day INTEGER, news_day INTEGER, checksum INTEGER NOT NULL);
        -- The interval, what the user has switched off, how much is new, how many days were counted.
        CREATE TABLE refresh_state (name TEXT PRIMARY KEY, value, checksum INTEGER NOT NULL);
        """
}
