import JSONKit

/// Rules for the appearance of a notification on Android that Google and Huawei share.
enum AndroidAppearance {
    private static let secondsMaximum = 60.0
    private static let visibilities: Set = ["PRIVATE", "PUBLIC", "SECRET"]

    /// The name of the first invalid member; nil if there is none.
    static func invalidMember(of notification: JSONObject, timings: String, timingsMaximum: Int = .max) -> String? {
        let rules: [(name: String, isValid: (JSON) -> Bool)] = [
            ("color", isColor), ("visibility", { $0.text.map(visibilities.contains) == true }),
            ("light_settings", isLight), (timings, { areDurations($0, countMaximum: timingsMaximum) }),
        ]
        return rules.first { rule in notification[rule.name].map { !rule.isValid($0) } ?? false }?.name
    }

    /// `#RRGGBB`.
    private static func isColor(_ value: JSON) -> Bool {
        guard let text = value.text, text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#") else { return false }
        return text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// All of its members are required.
    private static func isLight(_ value: JSON) -> Bool {
        let isColored = ["alpha", "red", "green", "blue"].allSatisfy { name in
            switch value["color"]?[name] {
            case .integer(let share): 0...1 ~= share
            case .number(let share): 0...1 ~= share
            default: false
            }
        }
        let durations = ["light_on_duration", "light_off_duration"]
        return isColored && durations.allSatisfy { value[$0].map(isDuration) ?? false }
    }

    private static func areDurations(_ value: JSON, countMaximum: Int) -> Bool {
        guard let elements = value.elements, elements.count <= countMaximum else { return false }
        return elements.allSatisfy(isDuration)
    }

    private static func isDuration(_ value: JSON) -> Bool {
        guard let text = value.text, text.hasSuffix("s"), let seconds = Double(text.dropLast()) else { return false }
        return 0...secondsMaximum ~= seconds
    }
}
