//! A progress bar on stderr, for work that takes long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Work that ends within this time shows no bar, because a brief flash would only distract.
const QUIET: Duration = Duration::from_millis(200);
const BETWEEN_FRAMES: Duration = Duration::from_millis(100);

/// A progress bar, which vanishes when the work ends or the bar is dropped.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Dropping the sender cancels the delayed appearance of the bar.
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts the timer. No bar appears if stderr is not a terminal.
    pub(super) fn start(what: &'static str) -> Self {
        if io::stderr().is_terminal() {
            Self::after(QUIET, what, ProgressDrawTarget::stderr())
        } else {
            Self { bar: ProgressBar::hidden(), waiting: None }
        }
    }

    fn after(delay: Duration, what: &'static str, target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(what);
        bar.set_style(style("{spinner} {msg}"));
        let (sender, receiver) = mpsc::channel();
        let shown = bar.clone();
        let thread = thread::spawn(move || {
            if receiver.recv_timeout(delay) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(target);
                shown.enable_steady_tick(BETWEEN_FRAMES);
            }
        });
        Self { bar, waiting: Some((sender, thread)) }
    }

    /// Begins the next part of the work, with this many steps.
    pub(super) fn stage(&self, what: &'static str, steps: u64) {
        self.bar.set_style(style("{spinner} {msg} {wide_bar} {percent:>3} %"));
        self.bar.set_message(what);
        self.bar.set_length(steps);
    }

    /// Sets the number of completed steps of the current stage.
    pub(super) fn reach(&self, done: u64) {
        self.bar.set_position(done);
    }

    pub(super) fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    /// Removes the bar. Must be called before a command writes to standard output: the bar and the output
    /// must not mix on a terminal.
    pub(super) fn yield_terminal(&mut self) {
        if io::stdout().is_terminal() {
            self.end();
        }
    }

    fn end(&mut self) {
        if let Some((sender, thread)) = self.waiting.take() {
            drop(sender);
            // The thread only draws, so a panic in it is ignored.
            let _ = thread.join();
            self.bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates above are well formed")
        .progress_chars("█▉▊▋▌▍▎▏ ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::sync::{Arc, Mutex};

    /// A terminal that remembers all that was drawn on it.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl Screen {
        fn add(&self, text: &str) {
            self.0.lock().unwrap().push_str(text);
        }

        fn seen(&self) -> String {
            self.0.lock().unwrap().clone()
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            80
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.add(text);
            Ok(())
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.add(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            self.add("<clear>");
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn on(screen: &Screen, delay: Duration) -> Progress {
        Progress::after(delay, "reading", ProgressDrawTarget::term_like(Box::new(screen.clone())))
    }

    #[test]
    fn short_work_shows_nothing() {
        let screen = Screen::default();
        let progress = on(&screen, Duration::from_hours(1));
        progress.stage("timing", 2);
        progress.advance(2);
        drop(progress);
        assert_eq!(screen.seen(), "");
    }

    #[test]
    fn long_work_shows_how_far_it_is_and_leaves_nothing() {
        let screen = Screen::default();
        let progress = on(&screen, Duration::ZERO);
        progress.stage("timing", 4);
        progress.advance(1);
        for _ in 0..1000 {
            if screen.seen().contains("timing") && screen.seen().contains("25 %") {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        drop(progress);
        let seen = screen.seen();
        assert!(seen.contains("25 %"), "{seen}");
        assert!(seen.ends_with("<clear>"), "{seen}");
    }
}
