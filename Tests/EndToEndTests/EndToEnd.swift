import TestSupport
import Testing

/// The tests that play: one after the other, since most of them wait for real time with a thread of
/// Swift's pool, which the player's own tasks need too.
@Suite(.serialized, .timeLimit(.minutes(5))) enum EndToEnd {}
