"""Lines of our own in the source of User-Mode Linux 6.1, each put where a pattern finds its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """A change of a file.

    Attributes:
        file: below the source.
        place: what is replaced.
        by: what stands there afterwards, in the form of ``re.sub``.
        times: how often the place is there.
    """

    file: str
    place: str
    by: str
    times: int = 1


# The registers of processors with AMX (11,008 octets) are more than the kernel has room for, and Linux takes them back
# only whole: User-Mode Linux would stop with "ptrace set fp regs failed". What has no room is AMX's own, which no
# program may use there: it stays as it was at the start.
_WHOLE = r"""
static unsigned char whole_state[1 << 16];
static size_t whole_size;

static void note_whole_state(int pid)
{
	struct iovec all = { .iov_base = whole_state, .iov_len = sizeof(whole_state) };

	if (ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &all) == 0)
		whole_size = all.iov_len;
}

static void make_whole(struct iovec *part)
{
	if (whole_size <= part->iov_len)
		return;
	memcpy(whole_state, part->iov_base, part->iov_len);
	part->iov_base = whole_state;
	part->iov_len = whole_size;
}
"""

_REGISTERS = "arch/x86/um/os-Linux/registers.c"

EDITS = (
    Edit(_REGISTERS, r"#include <stdlib\.h>\n", r"\g<0>#include <string.h>\n"),
    Edit(_REGISTERS, r"int have_xstate_support;\n", rf"\g<0>{_WHOLE}"),
    Edit(_REGISTERS, r"\t\tif \(ptrace\(PTRACE_SETREGSET", r"\t\tmake_whole(&iov);\n\g<0>"),
    Edit(_REGISTERS, r"\tfree\(fp_regs\);\n", r"\tnote_whole_state(pid);\n\g<0>"),
    # Randomness of the host would make each run another one.
    Edit("arch/um/os-Linux/util.c", r"return getrandom\(buf, len, flags\);", r"memset(buf, 0, len);\n\treturn len;"),
    # Processes of its programs end with the kernel: let go, they would go on with system calls of the host.
    Edit(
        "arch/um/os-Linux/skas/process.c",
        r"\(void \*\) ?PTRACE_O_TRACESYSGOOD",
        r"(void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)",
        times=2,
    ),
    # The clock tick of distributions: TCP's timers go by it, and this architecture has 100 a second.
    Edit("arch/um/Kconfig", r"(config HZ\n\tint\n\tdefault )100", r"\g<1>250"),
)


def apply(source: Path) -> None:
    """Makes all edits.

    Raises:
        ValueError: a place is not there; the source is another one, or has the edits already.
    """
    for edit in EDITS:
        file = source / edit.file
        text, count = re.subn(edit.place, edit.by, file.read_text())
        if count != edit.times:
            raise ValueError(f"{edit.file}: {edit.place} is there {count} times, not {edit.times}")
        file.write_text(text)
