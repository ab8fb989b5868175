/// A topic and its message type, so that the wrong message does not compile.
package struct Topic<Message: TopicMessage>: Sendable {
    package let declaration: TopicDeclaration

    package init(_ declaration: TopicDeclaration) {
        self.declaration = declaration
    }

    /// The one channel of a topic without lanes.
    package var channel: Channel {
        precondition(declaration.lanes.isEmpty, "\(declaration.name) has lanes: specify one")
        return declaration.channels[0]
    }

    package func channel(_ lane: Lane) -> Channel {
        guard let index = declaration.lanes.firstIndex(of: lane) else {
            preconditionFailure("\(declaration.name) has no lane \(lane.rawValue)")
        }
        return declaration.channels[index]
    }
}
