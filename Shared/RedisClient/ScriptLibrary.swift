/// A part of a script that several scripts share: a file with functions, or constants.
package struct ScriptLibrary: Sendable {
    package let source: [UInt8]

    package init(_ file: [UInt8]) {
        source = file
    }

    package init(_ constants: ScriptConstants) {
        source = Array(constants.lines.utf8)
    }
}
