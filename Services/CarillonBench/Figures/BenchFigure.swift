import CommandKit
import ServiceKit

/// One line of a benchmark's result. `ratio` compares it with the baseline tool that ran alongside.
struct BenchFigure: Sendable {
    let name: String
    let value: Double
    let unit: String
    var ratio: Double?

    var json: String {
        JSONText.object { json in
            json.member("name", name)
            json.member("value", value)
            json.member("unit", unit)
            if let ratio { json.member("ratio", ratio) }
        }
    }

    static func table(_ figures: [BenchFigure]) -> String {
        Table(
            header: ["FIGURE", "VALUE", "UNIT", "RATIO TO BASELINE"],
            rows: figures.map { [$0.name, print($0.value), $0.unit, $0.ratio.map(print) ?? ""] }
        ).text
    }

    /// Three significant digits; more would suggest a false precision.
    private static func print(_ value: Double) -> String {
        guard value < 100 else { return String(Int(value.rounded())) }
        let digits = value < 10 ? 100.0 : 10.0
        return String((value * digits).rounded() / digits)
    }
}

extension [Double] {
    /// The median; 0 if empty.
    var median: Double {
        isEmpty ? 0 : sorted()[count / 2]
    }

    func percentile(_ percent: Int) -> Double {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, count * percent / 100)]
    }
}
