//! The way of sandboxed commands and programs to the hosts that the user listed.

use std::io;
use std::path::Path;
use std::sync::Arc;

use copydesk_workspace::process::sandbox::{HostBridge, HostBridgeSource};

use super::fetch_policy::HostResolver;
use super::host_proxy::HostProxy;

/// Starts a proxy for each command: its connections end with it.
pub struct ListedNetwork {
    resolver: Arc<dyn HostResolver>,
}

impl std::fmt::Debug for ListedNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ListedNetwork").finish_non_exhaustive()
    }
}

impl ListedNetwork {
    pub fn new(resolver: Arc<dyn HostResolver>) -> Self {
        Self { resolver }
    }
}

impl HostBridgeSource for ListedNetwork {
    fn bridge(&self, hosts: &[String], program: &Path) -> io::Result<HostBridge> {
        let proxy = HostProxy::start(hosts, Arc::clone(&self.resolver))?;
        let (program, socket) = (program.to_path_buf(), proxy.socket());
        Ok(HostBridge { program, socket, hosts: hosts.to_vec(), proxy: Arc::new(proxy) })
    }
}
