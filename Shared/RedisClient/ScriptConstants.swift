/// Numbers that scripts share with Swift, so that both use the same names.
package struct ScriptConstants: Sendable {
    package let values: [(name: String, value: Int64)]

    package init(_ values: [(name: String, value: Int64)]) {
        self.values = values
    }

    /// A constant for each case: `notTargeted` with the prefix `STATE` is `STATE_NOT_TARGETED`.
    package init<Case: CaseIterable & RawRepresentable>(prefix: String, of cases: Case.Type)
    where Case.RawValue: BinaryInteger {
        values = cases.allCases.map {
            (ScriptConstants.name(String(describing: $0), prefix: prefix), Int64($0.rawValue))
        }
    }

    /// Lines of Lua such as `local STATE_CLAIMED = 2`.
    package var lines: String {
        values.map { "local \($0.name) = \($0.value)\n" }.joined()
    }

    private static func name(_ camelCase: String, prefix: String) -> String {
        prefix + "_" + camelCase.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }
}
