/// Parses the Prometheus text format, version 0.0.4, more strictly than Prometheus: every series belongs to a family
/// declared with help and type directly before it, and appears once; histograms must add up.
package struct PrometheusText {
    package struct MalformedTextError: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Sample {
        package let name: String
        package let labels: [String: String]
        package let value: Double
    }

    package struct Family {
        package let name: String
        package let type: String
        package fileprivate(set) var samples: [Sample] = []
    }

    package private(set) var families: [Family] = []
    private var seen: Set<String> = []

    package init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw MalformedTextError(description: "the last line has no end") }
        var helped: String?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, !words[3].isEmpty else {
                    throw MalformedTextError(description: "no help: \(line)")
                }
                helped = words[2]
            } else if line.hasPrefix("# TYPE ") {
                guard words.count == 4, helped == words[2], !families.contains(where: { $0.name == words[2] }),
                    ["counter", "gauge", "histogram"].contains(words[3])
                else { throw MalformedTextError(description: "wrong type: \(line)") }
                families.append(Family(name: words[2], type: words[3]))
            } else {
                try read(String(line))
            }
        }
        for family in families { try check(family) }
    }

    package func value(_ name: String, labels: [String: String]) -> Double? {
        families.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
    }

    private mutating func read(_ line: String) throws {
        guard let match = line.wholeMatch(of: /([a-z_:][a-z0-9_:]*)(?:\{(.+)\})? (\S+)/),
            let value = match.3 == "+Inf" ? .infinity : Double(match.3), var family = families.popLast()
        else { throw MalformedTextError(description: "no sample: \(line)") }
        let sample = Sample(
            name: String(match.1), labels: try PrometheusText.labels(String(match.2 ?? ""), line: line), value: value)
        guard seen.insert("\(sample.name) \(sample.labels.sorted { $0 < $1 })").inserted else {
            throw MalformedTextError(description: "twice: \(line)")
        }
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family.name + $0 == sample.name }) else {
            throw MalformedTextError(description: "not of the family \(family.name): \(line)")
        }
        family.samples.append(sample)
        families.append(family)
    }

    private static func labels(_ text: String, line: String) throws -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text[...]
        while let match = rest.prefixMatch(of: /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,(?=.)|$)/) {
            guard labels.updateValue(String(match.2), forKey: String(match.1)) == nil else {
                throw MalformedTextError(description: "a label twice: \(line)")
            }
            rest = rest[match.range.upperBound...]
        }
        guard rest.isEmpty else { throw MalformedTextError(description: "wrong labels: \(line)") }
        return labels
    }

    private func check(_ family: Family) throws {
        guard !family.samples.isEmpty else { throw MalformedTextError(description: "\(family.name) has no samples") }
        guard family.type == "histogram" else {
            guard family.type != "counter" || family.samples.allSatisfy({ $0.value >= 0 }) else {
                throw MalformedTextError(description: "\(family.name) is below zero")
            }
            return
        }
        for count in family.samples where count.name.hasSuffix("_count") {
            let buckets = family.samples.filter { sample in
                sample.name.hasSuffix("_bucket") && sample.labels.filter { $0.key != "le" } == count.labels
            }
            let bounds = buckets.compactMap { $0.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) } }
            guard bounds == bounds.sorted(), bounds.last == .infinity, bounds.count == buckets.count,
                buckets.map(\.value) == buckets.map(\.value).sorted(), buckets.last?.value == count.value
            else { throw MalformedTextError(description: "\(family.name) does not add up") }
        }
    }
}
