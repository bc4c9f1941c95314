//! Why a command did not start. A command that started always has an exit instead.

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("the folder `{}` to run in does not exist; check the path", .0.display())]
    NoFolder(PathBuf),
    #[error("`{}` is not a folder that a command can run in", .0.display())]
    NotAFolder(PathBuf),
    #[error("{0} contains a NUL byte, which no command can be given; leave it out")]
    Nul(String),
    #[error("`{0}` cannot be the name of a variable")]
    Variable(String),
    #[error("there is no program to run: its command is empty")]
    NoProgram,
    #[error("the script is too long to be run ({0} bytes); write it to a file and run that")]
    TooLong(usize),
    #[error("the shell `{}` cannot be started: {error}", shell.display())]
    Shell { shell: PathBuf, error: io::Error },
    #[error("the system does not let a command start: {0}")]
    System(io::Error),
    #[error(
        "{} jobs run in the background already, which is the most; wait for one, or stop one",
        super::MAX_JOBS
    )]
    TooManyJobs,
    #[error("the session has ended; nothing is run any more")]
    Ended,
}

impl From<io::Error> for ProcessError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}
