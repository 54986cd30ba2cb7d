extension DemoScreenVerb {
    func perform() throws { throw Failure("cannot show the demo: There is no screen yet") }
}
