internal import Basics
internal import CommandLine
internal import Glibc

// `mfs-authd`: the mobile auth backend. One file has one command; what a command does is in module BackendAdmin.
let program = Program(
  root: rootCommand, handlers: handlers(), version: { programVersion },
  fallback: { invocation, _ throws(Failure) in
    throw Failure(.bug, "nothing runs 'mfs-authd \(invocation.path.joined(separator: " "))'")
  })
exit(program.run(.current(), environment: .current()).rawValue)
