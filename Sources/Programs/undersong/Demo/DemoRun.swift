extension DemoScreenVerb {
    func perform() throws { throw Failure("x") }
}
