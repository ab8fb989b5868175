import PushModel
import Store

/// The places of a task as they are stored beside its receipts: for each one byte for the dimension, for a label its
/// name, then the value.
enum PackedPlaces {
    /// Stored; must not change.
    private enum Kind: UInt8 {
        case dialect = 1
        case topic = 2
        case label = 3
    }

    static func encode(_ places: [StatisticsPlace]) -> [UInt8] {
        var bytes: [UInt8] = []
        for place in places {
            switch place.dimension {
            // Every receipt counts in the total and under its own platform.
            case .total, .platform: continue
            case .dialect: bytes.append(Kind.dialect.rawValue)
            case .topic: bytes.append(Kind.topic.rawValue)
            case .label(let name):
                bytes.append(Kind.label.rawValue)
                bytes.append(counted: name.utf8)
            }
            bytes.append(counted: place.value.utf8)
        }
        return bytes
    }

    /// Nil for the format of a later version.
    static func decode(_ bytes: [UInt8]) -> [StatisticsPlace]? {
        var reader = ByteReader(bytes)
        var places: [StatisticsPlace] = []
        while !reader.isAtEnd {
            guard let kind = reader.byte().flatMap(Kind.init(rawValue:)) else { return nil }
            let dimension: StatisticsDimension
            switch kind {
            case .dialect: dimension = .dialect
            case .topic: dimension = .topic
            case .label:
                guard let name = reader.text() else { return nil }
                dimension = .label(name: name)
            }
            guard let value = reader.text() else { return nil }
            places.append(StatisticsPlace(dimension, value: value))
        }
        return places
    }
}
