import Foundation
import Mutations

let usage = """
    Usage: Tools/Mutate/run --tests TARGET [--filter REGEX] [--since REVISION] [--count COUNT]
               [--seed SEED] [PATH ...]

    Try whether tests notice single faults in the Swift sources at PATH (or Sources): a negated
    condition, another operator or Boolean value, a greater integer, a call that is left out. Each is
    made in a copy of the working tree in .build/mutants, of which only TARGET and what it needs is
    built. Survivors, which no test notices, are listed at the end.

      --tests TARGET     run the tests of this target; may be repeated
      --filter REGEX     run only the tests whose names match
      --since REVISION   change only lines that differ from a Git revision
      --count COUNT      try so many, chosen at random (default: 10)
      --seed SEED        choose as in an earlier run

    Exit status: 0 if none survives, 1 if some do, 2 if none can be tried, 64 if the arguments are
    wrong.
    """

var options: [String: [String]] = [:]
var paths: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    if argument == "--help" || argument == "-h" {
        say(usage)
        exit(0)
    }
    if !argument.hasPrefix("-") {
        paths.append(argument)
    } else if ["--tests", "--filter", "--since", "--count", "--seed"].contains(argument),
        let value = arguments.popFirst()
    {
        options[argument, default: []].append(value)
    } else {
        fail("unknown option, or one without a value: \(argument); see --help", status: 64)
    }
}
guard let targets = options["--tests"] else { fail("--tests is missing; see --help", status: 64) }
guard let count = Int(options["--count"]?.last ?? "10"),
    let seed = UInt64(options["--seed"]?.last ?? String(UInt64.random(in: 0..<1_000_000)))
else { fail("--count and --seed are numbers\n\n\(usage)", status: 64) }

do {
    let tree = try WorkingTree()
    let candidates = try tree.mutants(
        in: paths.isEmpty ? ["Sources"] : paths, since: options["--since"]?.last)
    var generator = SeededGenerator(seed: seed)
    let chosen = candidates.shuffled(using: &generator).prefix(count)
    say("Trying \(chosen.count) of \(candidates.count) mutants, with seed \(seed) ...")
    let trial = try Trial(of: tree, targets: targets, filter: options["--filter"]?.last)
    var survivors: [String] = []
    for (path, mutant) in chosen {
        let outcome = try trial.outcome(of: mutant, in: path)
        say("\(path):\(mutant): \(outcome)")
        if outcome == .survived { survivors.append("    \(path):\(mutant)") }
    }
    say(survivors.isEmpty ? "None survived." : "Survivors:\n" + survivors.joined(separator: "\n"))
    exit(survivors.isEmpty ? 0 : 1)
} catch {
    fail("\(error)", status: 2)
}

/// Prints a line at once, also into a pipe: a trial takes minutes.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func fail(_ reason: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("mutate: \(reason)\n".utf8))
    exit(status)
}
