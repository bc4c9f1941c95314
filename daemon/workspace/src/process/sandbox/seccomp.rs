//! The system calls that a sandboxed command is refused, as the program that the kernel runs before each call.
//!
//! What is not listed is allowed: the namespaces and mounts are the sandbox, this takes away ways around them. The program is classic BPF:
//! instructions of eight bytes (code, two jumps, a constant) over the call's number, architecture and arguments.
//!
//! Invariant: calls of another architecture than ours, and x86's x32 calls, are not let through: their numbers mean other calls.

use libc::{c_long, c_uint};

#[cfg(target_arch = "x86_64")]
const AUDIT_ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const AUDIT_ARCHITECTURE: u32 = 0xC000_00B7;

/// The bit in the number of an x32 call.
#[cfg(target_arch = "x86_64")]
const FOREIGN_BIT: u32 = 0x4000_0000;
#[cfg(target_arch = "aarch64")]
const FOREIGN_BIT: u32 = 0;

/// They reach into other processes or into the kernel, or change what the mounts hide.
const REFUSED: &[c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
];

/// Any new namespace.
const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET)
    .cast_unsigned();

/// They put characters into the input of a terminal.
const REFUSED_IOCTLS: [u32; 2] = [0x5412, 0x541C];

/// A network namespace does not hold these: the hypervisor's sockets, and raw packets.
const REFUSED_SOCKETS: [u32; 2] = [libc::AF_VSOCK.cast_unsigned(), libc::AF_PACKET.cast_unsigned()];

// Where the kernel puts what it asks about.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
#[cfg(target_endian = "little")]
const FIRST_ARGUMENT: u32 = 16;
#[cfg(target_endian = "little")]
const SECOND_ARGUMENT: u32 = 24;

const RETURN_KILL: u32 = 0x8000_0000;
const RETURN_ERROR: u32 = 0x0005_0000;
const RETURN_ALLOW: u32 = 0x7FFF_0000;

#[derive(Default)]
struct FilterProgram(Vec<u8>);

impl FilterProgram {
    fn push(&mut self, code: c_uint, jump_true: u8, jump_false: u8, constant: u32) {
        let code = u16::try_from(code).unwrap_or_default();
        self.0.extend(code.to_ne_bytes());
        self.0.extend([jump_true, jump_false]);
        self.0.extend(constant.to_ne_bytes());
    }

    fn load(&mut self, offset: u32) {
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    }

    fn answer(&mut self, action: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, 0, 0, action);
    }

    /// Answers if the loaded value is this one.
    fn answer_if_equal(&mut self, value: u32, action: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, value);
        self.answer(action);
    }

    /// Answers if the loaded value has any of these bits.
    fn answer_if_any_bit(&mut self, bits: u32, action: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, 1, bits);
        self.answer(action);
    }

    /// For one call: looks at an argument, then goes on with the number.
    fn with_argument(&mut self, call: c_long, offset: u32, check: impl Fn(&mut Self)) {
        let mut inner = Self::default();
        inner.load(offset);
        check(&mut inner);
        inner.load(NUMBER);
        let length = u8::try_from(inner.0.len() / 8).unwrap_or(u8::MAX);
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, length, number(call));
        self.0.append(&mut inner.0);
    }
}

fn number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

fn error(errno: i32) -> u32 {
    RETURN_ERROR | errno.cast_unsigned()
}

/// The sockets that a program may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SocketAccess {
    /// Also those with a path. What must not be reached is hidden.
    Paths,
    /// Only those of the network namespace, and pairs.
    Network,
}

/// The program, as `bwrap --seccomp` reads it.
pub(super) fn filter(sockets: SocketAccess) -> Vec<u8> {
    let mut program = FilterProgram::default();
    program.load(ARCHITECTURE);
    program.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, AUDIT_ARCHITECTURE);
    program.answer(RETURN_KILL);
    program.load(NUMBER);
    if FOREIGN_BIT != 0 {
        program.answer_if_any_bit(FOREIGN_BIT, error(libc::ENOSYS));
    }
    for call in REFUSED {
        program.answer_if_equal(number(*call), error(libc::EPERM));
    }
    // Its flags lie behind a pointer. C libraries then use `clone`.
    program.answer_if_equal(number(libc::SYS_clone3), error(libc::ENOSYS));
    program.with_argument(libc::SYS_clone, FIRST_ARGUMENT, |program| {
        program.answer_if_any_bit(NEW_NAMESPACES, error(libc::EPERM));
    });
    program.with_argument(libc::SYS_ioctl, SECOND_ARGUMENT, |program| {
        for request in REFUSED_IOCTLS {
            program.answer_if_equal(request, error(libc::EPERM));
        }
    });
    program.with_argument(libc::SYS_socket, FIRST_ARGUMENT, |program| {
        for family in REFUSED_SOCKETS {
            program.answer_if_equal(family, error(libc::EAFNOSUPPORT));
        }
        if sockets == SocketAccess::Network {
            program.answer_if_equal(libc::AF_UNIX.cast_unsigned(), error(libc::EAFNOSUPPORT));
        }
    });
    program.answer(RETURN_ALLOW);
    program.0
}
