import TestSupport
import Testing

/// Tests that play, most of which wait for real time.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) enum EndToEnd {}
