//! Telling a run, from anywhere, that it is to end.

use std::sync::Arc;

use tokio::sync::watch;

/// Something that can be cancelled once. Clones are the same thing.
#[derive(Clone, Debug)]
pub struct Cancel {
    sender: Arc<watch::Sender<bool>>,
}

impl Cancel {
    /// Not cancelled yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sender: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Cancels it, for good.
    pub fn cancel(&self) {
        self.sender.send_replace(true);
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.sender.borrow()
    }

    /// Ends when it is cancelled.
    pub async fn cancelled(&self) {
        let mut receiver = self.sender.subscribe();
        // The sender lives as long as `self`, so that waiting cannot fail.
        let _never = receiver.wait_for(|cancelled| *cancelled).await;
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}
