// Names for the system calls that a plugin is likely to be caught with, so that the report says more than a number.
#ifndef MFS_SYSCALL_NAMES_H
#define MFS_SYSCALL_NAMES_H

// The name, or null.
const char *csandbox_syscall_name(long number);
// Which argument of the call is a path; -1 when none is.
int csandbox_syscall_path(long number);

#endif
