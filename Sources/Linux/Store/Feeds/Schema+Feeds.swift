extension Schema {
    /// The tables of podcasts. Times are seconds since 1970; `automatic` is `none`, `all` or
    /// `newest:3`, `keep` is `all`, `5` or `14d`.
    static let feeds = """
        CREATE TABLE feeds (
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT, automatic TEXT NOT NULL,
            keep TEXT NOT NULL, place TEXT NOT NULL, folder TEXT, etag TEXT, modified TEXT,
            not_before REAL NOT NULL, next_due REAL NOT NULL, time_to_live REAL NOT NULL,
            skipped_hours INTEGER NOT NULL, skipped_days INTEGER NOT NULL,
            failures INTEGER NOT NULL, is_gone INTEGER NOT NULL, result TEXT, problem TEXT,
            checksum INTEGER NOT NULL);
        CREATE TABLE episodes (
            id INTEGER PRIMARY KEY, feed INTEGER NOT NULL, key TEXT NOT NULL, title TEXT NOT NULL,
            published REAL, url TEXT, type TEXT, duration REAL, state TEXT NOT NULL, path TEXT,
            task INTEGER, problem TEXT, checksum INTEGER NOT NULL);
        CREATE INDEX episodes_feed ON episodes (feed);
        CREATE INDEX episodes_state ON episodes (state);
        CREATE INDEX episodes_path ON episodes (path);
        CREATE INDEX episodes_url ON episodes (url);
        """
}
