import TestSupport
import Testing

/// Tests that play. Serialized, since most of them wait for real time on a thread of Swift's pool,
/// which the player's own tasks need too.
@Suite(.serialized, .timeLimit(.minutes(5))) enum EndToEnd {}
