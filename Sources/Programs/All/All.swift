// `swift build --target UndersongAll` builds the three programs, on which this target depends.
