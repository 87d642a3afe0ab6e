//! A session: the connection and the stores that own the server's data, each under its own lock.
//!
//! A handler gets the session and queries the stores. Locks are taken in one order: `profiles`, `tuning`,
//! `code`, `workspace`, `documents`, `transport`. A store can only use the stores after it, so no other order
//! is possible. No lock is held across an await or a long job. A value that was read under a lock is checked
//! again before it is used under a later lock, because messages and background jobs may run in between.

pub(crate) mod status;

use crate::server::code::Code;
use crate::server::documents::Documents;
use crate::server::profiles::Profiles;
use crate::server::transport::connection::Connection;
use crate::server::tuning::Tuning;
use crate::server::workspace::Workspace;
use crate::server::workspace::listings::Listings;
use crate::server::workspace::settings::Settings;
use tower_lsp_server::Client;

/// A handle to the session; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) connection: Connection,
    pub(crate) documents: Documents,
    pub(crate) workspace: Workspace,
    pub(crate) settings: Settings,
    pub(crate) listings: Listings,
    pub(crate) code: Code,
    pub(crate) profiles: Profiles,
    pub(crate) tuning: Tuning,
}

impl Session {
    pub(crate) fn new(client: Client) -> Self {
        let connection = Connection::new(client);
        let documents = Documents::new(connection.clone());
        let workspace = Workspace::new(documents.clone());
        let code = Code::new(workspace.clone());
        Self {
            settings: Settings::new(documents.clone()),
            listings: Listings::new(workspace.clone()),
            profiles: Profiles::new(workspace.clone()),
            tuning: Tuning::new(code.clone()),
            connection,
            documents,
            workspace,
            code,
        }
    }
}
