import CommandKit

/// Shows statistics as a table, on a terminal with a bar for each row.
struct StatisticsTable {
    private static let barWidth = 24
    private static let valueCharactersMaximum = 40
    static let legend = "# delivered, x failed, - expired, suppressed or cancelled"

    let statistics: ReportedStatistics
    let hasBars: Bool

    var table: Table {
        let hasValues = statistics.by != "total"
        let header = ["TIME"] + (hasValues ? [statistics.by.uppercased()] : [])
        let hasOpens = statistics.interval == "day"
        let figures = ["TASKS", "TARGETED", "DELIVERED", "FAILED", "RATE"] + (hasOpens ? ["OPENED"] : [])
        return Table(
            header: header + figures + (hasBars ? [""] : []),
            rows: statistics.rows.map { row in
                [time(row)]
                    + (hasValues
                        ? [
                            VisibleBytes(isRaw: true).line(
                                row.value, charactersMaximum: StatisticsTable.valueCharactersMaximum)
                        ] : [])
                    + ["\(row.tasks)", "\(row.targeted)", "\(row.delivered)", "\(row.failed)", rate(row)]
                    + (hasOpens ? [row.opened.map { "\($0)" } ?? "–"] : [])
                    + (hasBars ? [StatisticsTable.bar(row)] : [])
            })
    }

    /// `2026-12-24`, for hours with `18:00`; both are UTC.
    private func time(_ row: ReportedStatistics.Row) -> String {
        let date = String(row.time.prefix(10))
        guard statistics.interval == "hour" else { return date }
        return "\(date) \(row.time.dropFirst(11).prefix(5))"
    }

    private func rate(_ row: ReportedStatistics.Row) -> String {
        guard row.targeted > 0 else { return "–" }
        let permille = row.delivered * 1_000 / row.targeted
        return "\(permille / 10).\(permille % 10)%"
    }

    static func bar(_ row: ReportedStatistics.Row) -> String {
        guard row.targeted > 0 else { return "" }
        let delivered = row.delivered * barWidth / row.targeted
        // A failure is visible, however rare it is.
        let failed = min(barWidth - delivered, (row.failed * barWidth + row.targeted - 1) / row.targeted)
        let rest = row.delivered + row.failed < row.targeted ? barWidth - delivered - failed : 0
        let filled = rest == 0 ? barWidth - failed : delivered
        return String(repeating: "#", count: filled) + String(repeating: "x", count: failed)
            + String(repeating: "-", count: rest)
    }
}
