// The module's files stand beside this one.
