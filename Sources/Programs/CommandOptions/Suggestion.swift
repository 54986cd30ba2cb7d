/// Finds the word that was meant by a mistyped one.
package enum Suggestion {
    /// "; did you mean 'repeat'?", or an empty text if no word is similar enough.
    package static func text(for word: String, among words: [String]) -> String {
        nearest(to: word, among: words).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The word most similar to `word`, with at most one slip for every three letters. A word that
    /// starts with `word`, or that `word` abbreviates, counts as similar.
    package static func nearest(to word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        if word.count > 1, let whole = words.first(where: { $0.hasPrefix(word) }) { return whole }
        let near = words.map { (slips(from: word, to: $0), $0) }
            .filter { $0.0 <= max($0.1.count, 3) / 3 }
            .min { $0.0 < $1.0 }?.1
        return near ?? words.first { abbreviates(word, $0) }
    }

    /// Whether `short` is `word` without some letters after the first one, as `rm` is `remove`.
    private static func abbreviates(_ short: String, _ word: String) -> Bool {
        guard short.count > 1, short.first == word.first else { return false }
        var rest = word[...]
        return short.allSatisfy { letter in
            guard let place = rest.firstIndex(of: letter) else { return false }
            rest = rest[rest.index(after: place)...]
            return true
        }
    }

    /// The number of letters that are wrong, missing, extra or swapped with their neighbour.
    package static func slips(from first: String, to second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var next = [row + 1]
            for column in second.indices {
                let isSame = first[row] == second[column]
                var least = min(
                    last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1],
                    first[row - 1] == second[column]
                {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[second.count]
    }
}
