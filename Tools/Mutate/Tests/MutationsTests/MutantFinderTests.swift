import Mutations
import Testing

@Suite struct `A mutant` {
    /// The sources with each of the mutants.
    private func mutated(_ source: String) -> [String] {
        Mutant.all(in: source).map { $0.applied(to: source) }
    }

    @Test func `A mutant has a negated condition`() {
        #expect(mutated("if ready { return }") == ["if !(ready) { return }"])
        #expect(mutated("guard !ready else { return }") == ["guard !(!ready) else { return }"])
        #expect(mutated("while isFull() {}") == ["while !(isFull()) {}"])
        #expect(mutated("let x = ready ? a : b") == ["let x = !(ready) ? a : b"])
        #expect(mutated("for x in xs where x.isOld {}") == ["for x in xs where !(x.isOld) {}"])
        #expect(mutated("if let x {}").isEmpty)
    }

    @Test(arguments: [
        ("<", "<="), (">", ">="), ("==", "!="), ("&&", "||"), ("+", "-"), ("+=", "-="),
    ])
    func `A mutant has another operator`(one: String, other: String) {
        #expect(mutated("return a \(one) b") == ["return a \(other) b"])
        #expect(mutated("return a \(other) b") == ["return a \(one) b"])
    }

    @Test func `A comparison is negated once`() {
        #expect(mutated("if a == b {}") == ["if a != b {}"])
        #expect(mutated("if a < b {}") == ["if !(a < b) {}", "if a <= b {}"])
    }

    @Test func `Texts and arrays are not subtracted`() {
        #expect(mutated(#"let text = "a" + b"#).isEmpty)
        #expect(mutated("list += [a]").isEmpty)
        #expect(mutated("let sum = a + b") == ["let sum = a - b"])
    }

    @Test func `A mutant has the other Boolean value`() {
        #expect(mutated("return true") == ["return false"])
        #expect(mutated("stop(false)\nlet x = y").contains("stop(true)\nlet x = y"))
    }

    @Test func `A mutant has an integer that is greater by one`() {
        #expect(mutated("let limit = 10") == ["let limit = 11"])
        #expect(mutated("let limit = 1_000") == ["let limit = 1001"])
        #expect(mutated("let mask = 0xFF") == ["let mask = 256"])
        #expect(mutated("let all = 0xFFFF_FFFF_FFFF_FFFF").isEmpty)
    }

    @Test func `A mutant leaves out a call`() {
        #expect(mutated("func f() { stop() }") == ["func f() { _ = () }"])
        #expect(
            mutated("func f() -> Int { try await stop(); return x }")
                == ["func f() -> Int { _ = (); return x }"])
        #expect(mutated("switch x { case .a: stop() }") == ["switch x { case .a: _ = () }"])
    }

    @Test func `A call whose value is used is kept`() {
        #expect(mutated("func f() -> Int { count() }").isEmpty)
        #expect(mutated("var f: Int { count() }").isEmpty)
        #expect(mutated("var f: Int { get { count() } }").isEmpty)
        #expect(mutated("let list = xs.map { g($0) }").isEmpty)
    }

    @Test func `Assertions and what the compiler reads are kept`() {
        #expect(mutated("precondition(isOpen)\nlet x = y").isEmpty)
        #expect(mutated("enum Code: Int { case first = 1 }").isEmpty)
        #expect(mutated("@Test(.timeLimit(.minutes(5))) func a() {}").isEmpty)
        #expect(mutated("#if os(Linux) && DEBUG\nlet x = true\n#endif").count == 1)
    }

    @Test func `A mutant names its line and its change`() {
        let mutant = Mutant.all(in: "let a = b\n\n    let größe = c <\n        d").first

        #expect(mutant?.description == "3: `<` becomes `<=`")
        #expect(mutant?.line == 3)
    }
}

@Test func `A seed chooses the same mutants again`() {
    let mutants = Mutant.all(in: "f(1, 2, 3, 4, 5, 6, 7, 8)")
    var (one, same, other) = (
        SeededGenerator(seed: 1), SeededGenerator(seed: 1), SeededGenerator(seed: 2)
    )

    let order = mutants.shuffled(using: &one)

    #expect(order == mutants.shuffled(using: &same))
    #expect(order != mutants.shuffled(using: &other))
}
