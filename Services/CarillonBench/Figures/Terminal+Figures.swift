import CommandKit

extension Terminal {
    func print(_ figures: [BenchFigure], isJSON: Bool) {
        print(isJSON ? figures.map(\.json).joined(separator: "\n") : BenchFigure.table(figures))
    }

    /// Progress, on standard error.
    func note(_ text: String) {
        complain("\(text) …")
    }
}
