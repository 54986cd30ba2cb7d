@testable import UndersongStore

/// Files as earlier versions left them.
enum EarlierFiles {
    /// Version 1, with two items.
    static let first =
        tables + [
            "PRAGMA user_version = 1",
            """
            INSERT INTO order_changes VALUES (
                1, 6648219397876588851, 0, 1, 'add to the queue', NULL, X'0001000002020200',
                X'000100020000', NULL, 0, 1, 8295810461175582659)
            """,
            """
            INSERT INTO state VALUES (
                1, 1, 6648219397876588851, 1, 0, 1000000000, 0, 0.300000011920928955, 0, 1.25,
                'all', 0, 0, 0, 'advance', 'off', 0.0, 1, 15.0, 2, 0, 7226361065556390463)
            """,
            "INSERT INTO items VALUES (1, 'one.mp3', NULL, NULL, NULL, NULL, NULL, 3310999042)",
            "INSERT INTO items VALUES (2, 'two.mp3', NULL, NULL, NULL, NULL, NULL, 1064211467)",
        ]

    /// Version 4, with a shuffled queue that was written as a whole and changed afterwards: the
    /// last edit removed item 4.
    static let fourth =
        tables + [
            "PRAGMA user_version = 4",
            "ALTER TABLE items ADD COLUMN tag_title TEXT",
            "ALTER TABLE items ADD COLUMN duration_value INTEGER",
            "ALTER TABLE items ADD COLUMN duration_timescale INTEGER",
            "ALTER TABLE items ADD COLUMN is_duration_exact INTEGER",
            "ALTER TABLE state ADD COLUMN output_device TEXT",
            "ALTER TABLE state ADD COLUMN unplug_policy TEXT NOT NULL DEFAULT 'pause'",
            "ALTER TABLE state ADD COLUMN mixing TEXT NOT NULL DEFAULT 'exclusive'",
            "ALTER TABLE state ADD COLUMN inhibits_sleep INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE state ADD COLUMN replay_gain_preamp REAL NOT NULL DEFAULT 0.0",
            """
            INSERT INTO order_parts VALUES (
                0, 0, 1, 2000, 9181923008430329871, X'0402020401', -6419017554294927402)
            """,
            """
            INSERT INTO order_parts VALUES (
                1, 0, 1, 2000, 9181923008430329871, X'0402020202', -2790796638129621687)
            """,
            """
            INSERT INTO order_changes VALUES (
                2000, 9181923008430329871, -4021767839523741821, 0, NULL, NULL,
                X'0102020100010001060100000402020202', X'00020200010601010001000400',
                1, 0, 1000000000, -4791190683615476130)
            """,
            """
            INSERT INTO order_changes VALUES (
                2001, -3179816883047945830, 9181923008430329871, 1, 'remove from the queue', NULL,
                X'010102010001030100', X'0101020001080103000108',
                1, 0, 1000000000, 6917662884179031665)
            """,
            """
            INSERT INTO state VALUES (
                1, 2001, -3179816883047945830, 1, 0, 1000000000, 0, 0.30000001192092896, 0, 1.25,
                'off', 1, 0, 0, 'advance', 'off', 0.0, 0, 0.0, 5, 0, -2934768549408760918, 'usb',
                'wait', 'exclusive', 1, 3.5)
            """,
            """
            INSERT INTO items VALUES (
                1, '/tmp/w3-old/music/1.mp3', NULL, NULL, NULL, NULL, NULL, 2380056576,
                'Slack Water', 1270820, 44100, 1)
            """,
            """
            INSERT INTO items VALUES (
                2, '/tmp/w3-old/music/2.mp3', NULL, NULL, NULL, NULL, NULL, 2675486077,
                NULL, NULL, NULL, NULL)
            """,
            """
            INSERT INTO items VALUES (
                3, '/tmp/w3-old/music/3.mp3', NULL, NULL, NULL, NULL, NULL, 1001582219,
                NULL, NULL, NULL, NULL)
            """,
            """
            INSERT INTO items VALUES (
                4, '/tmp/w3-old/music/4.mp3', NULL, NULL, NULL, NULL, NULL, 2267280182,
                NULL, NULL, NULL, NULL)
            """,
        ]

    /// Version 5, with a shuffled queue from which the last edit removed item 3.
    static let fifth = [
        "PRAGMA application_id = 1433298034", "PRAGMA user_version = 5",
        """
        CREATE TABLE items (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT,
            start_value INTEGER, start_timescale INTEGER,
            end_value INTEGER, end_timescale INTEGER, checksum INTEGER NOT NULL,
            tag_title TEXT, duration_value INTEGER, duration_timescale INTEGER,
            is_duration_exact INTEGER)
        """,
        """
        CREATE TABLE positions (
            path TEXT PRIMARY KEY, seconds REAL NOT NULL, duration REAL NOT NULL,
            is_finished INTEGER NOT NULL,
            last_played REAL NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE history (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT, began REAL NOT NULL,
            seconds REAL NOT NULL, checksum INTEGER NOT NULL)
        """,
        """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY, place INTEGER NOT NULL, original INTEGER,
            since INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        """
        CREATE TABLE past (
            id INTEGER NOT NULL, until INTEGER NOT NULL, place INTEGER NOT NULL, original INTEGER,
            since INTEGER NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (id, until)) WITHOUT ROWID
        """,
        """
        CREATE TABLE edits (
            sequence INTEGER PRIMARY KEY, current INTEGER, place INTEGER,
            position_value INTEGER NOT NULL, position_timescale INTEGER NOT NULL,
            is_shuffled INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        """
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL,
            entry_count INTEGER NOT NULL, entry_checksums INTEGER NOT NULL,
            is_shuffled INTEGER NOT NULL, current INTEGER, position_value INTEGER NOT NULL,
            position_timescale INTEGER NOT NULL, wants_playback INTEGER NOT NULL,
            last_number INTEGER NOT NULL, has_garbage INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        "CREATE TABLE settings (name TEXT NOT NULL, value)",
        """
        INSERT INTO items VALUES
            (1, 'one.mp3', NULL, 441, 44100, 10, 1, 2153137863, 'Slack Water', 1270820, 44100, 1),
            (2, X'2fe9', 'Two', NULL, NULL, NULL, NULL, 999767204, NULL, NULL, NULL, NULL),
            (3, 'three.mp3', NULL, NULL, NULL, NULL, NULL, 1810046593, NULL, NULL, NULL, NULL),
            (4, 'four.mp3', NULL, NULL, NULL, NULL, NULL, 3275045372, NULL, NULL, NULL, NULL)
        """,
        "INSERT INTO positions VALUES ('one.mp3', 61.5, 3600.0, 0, 17.0, 1)",
        "INSERT INTO history VALUES (1, 'one.mp3', 'One', 5.0, 6.0, 1)",
        "INSERT INTO history VALUES (2, 'four.mp3', NULL, 15.0, 16.0, 1)",
        """
        INSERT INTO entries VALUES
            (1, 4294967296, 4294967296, 3, 1358674931), (2, 12884901888, 8589934592, 3, 2255880291),
            (4, 8589934592, 17179869184, 3, 494045377)
        """,
        "INSERT INTO past VALUES (3, 4, 17179869184, 12884901888, 3, 1884644669)",
        "INSERT INTO edits VALUES (4, 1, 4294967296, 0, 1000000000, 1, 7504247858744191045)",
        """
        INSERT INTO state VALUES (
            1, 4, 3, 4108600599, 1, 1, 441, 44100, 0, 4, 0, 804734870738670816)
        """,
        """
        INSERT INTO settings VALUES
            ('volume', 0.3), ('is_muted', 0), ('rate', 1.25), ('repeat_mode', 'all'),
            ('is_shuffled', 1), ('output_device', NULL), ('unplug_policy', 'wait')
        """,
    ]

    private static let tables = [
        "PRAGMA application_id = 1433298034",
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "INSERT INTO grdb_migrations VALUES ('1: queue, positions and history')",
        """
        CREATE TABLE items (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT,
            start_value INTEGER, start_timescale INTEGER,
            end_value INTEGER, end_timescale INTEGER, checksum INTEGER NOT NULL)
        """,
        """
        CREATE TABLE order_parts (
            list INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
            sequence INTEGER NOT NULL, token INTEGER NOT NULL, ids BLOB NOT NULL,
            checksum INTEGER NOT NULL, PRIMARY KEY (list, part))
        """,
        """
        CREATE TABLE order_changes (
            sequence INTEGER PRIMARY KEY, token INTEGER NOT NULL, previous INTEGER NOT NULL,
            kind INTEGER NOT NULL, name TEXT, undoes INTEGER, forward BLOB, backward BLOB NOT NULL,
            current INTEGER, position_value INTEGER NOT NULL, position_timescale INTEGER NOT NULL,
            checksum INTEGER NOT NULL)
        """,
        """
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL,
            token INTEGER NOT NULL, current INTEGER, position_value INTEGER NOT NULL,
            position_timescale INTEGER NOT NULL, wants_playback INTEGER NOT NULL,
            volume REAL NOT NULL, is_muted INTEGER NOT NULL, rate REAL NOT NULL,
            repeat_mode TEXT NOT NULL, is_shuffled INTEGER NOT NULL, is_single INTEGER NOT NULL,
            is_consuming INTEGER NOT NULL, item_end_action TEXT NOT NULL,
            replay_gain TEXT NOT NULL, crossfade REAL NOT NULL,
            resumes_items INTEGER NOT NULL, skip_back REAL NOT NULL, last_number INTEGER NOT NULL,
            has_garbage INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        """
        CREATE TABLE positions (
            path TEXT PRIMARY KEY, seconds REAL NOT NULL, duration REAL NOT NULL,
            is_finished INTEGER NOT NULL,
            last_played REAL NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE history (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT, began REAL NOT NULL,
            seconds REAL NOT NULL, checksum INTEGER NOT NULL)
        """,
    ]
}
