//! Places labels so that they overlap neither each other nor a point, and stay within the frame.

/// A box on the picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn around(x: f64, y: f64, radius: f64) -> Self {
        Self { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// Line height of the picture's text, whose size is 12 pixels.
const LINE_HEIGHT: f64 = 14.0; // limit: layout of the picture, in pixels
const ASCENT: f64 = 11.0; // limit: layout of the picture, in pixels

/// Returns an upper estimate of a text's width in pixels; fonts differ.
pub(super) fn width_of(text: &str) -> f64 {
    const OF_A_LETTER: f64 = 7.6; // limit: layout of the picture, in pixels
    text.chars().count() as f64 * OF_A_LETTER
}

/// The start of a point's label, on its base line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelPosition {
    pub(super) x: f64,
    pub(super) y: f64,
    /// End of the leader line at the point; `None` if the label is next to its point.
    pub(super) leader: Option<(f64, f64)>,
}

/// The frame of the picture's labels, and the occupied boxes in the frame.
#[derive(Debug)]
pub(super) struct Labels {
    frame: Rect,
    taken: Vec<Rect>,
}

impl Labels {
    pub(super) fn new(frame: Rect) -> Self {
        Self { frame, taken: Vec::new() }
    }

    pub(super) fn keep_free(&mut self, rect: Rect) {
        self.taken.push(rect);
    }

    fn is_free(&self, rect: &Rect) -> bool {
        self.frame.holds(rect) && !self.taken.iter().any(|taken| taken.meets(rect))
    }

    /// The nearest free position for a point's label; `None` if no position is free.
    pub(super) fn near(&mut self, x: f64, y: f64, radius: f64, text: &str) -> Option<LabelPosition> {
        /// Maximum gap in pixels between a point and its label without a leader line.
        const LABEL_GAP: f64 = 6.0; // limit: layout of the picture, in pixels
        const FURTHEST: u32 = 16; // limit: steps of 9 pixels; readers do not relate labels farther away
        const DIRECTIONS: u32 = 16; // limit: places tried around a point
        let (width, half) = (width_of(text), LINE_HEIGHT / 2.0);
        for step in 0..FURTHEST {
            let away = radius + 3.0 + f64::from(step) * 9.0;
            for direction in 0..DIRECTIONS {
                // First to the right, then alternately on both sides of this direction.
                let turn =
                    f64::from(direction.div_ceil(2)) * if direction.is_multiple_of(2) { 1.0 } else { -1.0 };
                let angle = turn * std::f64::consts::TAU / f64::from(DIRECTIONS);
                let (dx, dy) = (angle.cos(), angle.sin());
                let anchor = (x + away * dx, y + away * dy);
                // `anchor` is the side or the corner of the label that faces the point.
                let left = anchor.0 - width * (1.0 - dx) / 2.0;
                let top = anchor.1 - half + half * dy;
                let rect = Rect { left, top, right: left + width, bottom: top + LINE_HEIGHT };
                if self.is_free(&rect) {
                    self.taken.push(rect);
                    let leader = (away > radius + LABEL_GAP).then_some(anchor);
                    return Some(LabelPosition { x: left, y: top + ASCENT, leader });
                }
            }
        }
        None
    }

    /// Returns the right end of a label above a flat line: the line's right end, or further left if this
    /// position is taken.
    pub(super) fn over_line(&mut self, y: f64, from: f64, to: f64, text: &str) -> f64 {
        const GAP: f64 = 6.0; // limit: layout of the picture, in pixels
        let width = width_of(text);
        let rect =
            |end: f64| Rect { left: end - width, top: y - LINE_HEIGHT - 3.0, right: end, bottom: y - 3.0 };
        let mut end = to - GAP;
        while end - width > from && !self.is_free(&rect(end)) {
            end -= 10.0;
        }
        let end = if end - width > from { end } else { to - GAP };
        self.taken.push(rect(end));
        end
    }

    /// Returns the start of a label that runs along a sloping line, at the free position nearest to the line's lower
    /// end.
    pub(super) fn along(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), text: &str) -> (f64, f64) {
        const OVER: f64 = 6.0; // limit: layout of the picture, in pixels
        let length = (x2 - x1).hypot(y2 - y1).max(1.0);
        let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
        let width = width_of(text);
        let start = |along: f64| (x1 + along * dx + OVER * dy, y1 + along * dy - OVER * dx);
        let boxes = |along: f64| -> Vec<Rect> {
            let (x, y) = start(along);
            let count = (width / LINE_HEIGHT).ceil() as u32 + 1;
            let middle = |at: u32| f64::from(at) * LINE_HEIGHT;
            (0..count)
                .map(|at| {
                    let (along_x, along_y) = (middle(at) * dx, middle(at) * dy);
                    Rect::around(
                        x + along_x + ASCENT / 2.0 * dy,
                        y + along_y - ASCENT / 2.0 * dx,
                        LINE_HEIGHT / 2.0,
                    )
                })
                .collect()
        };
        let mut along = 24.0;
        while along + width < length && !boxes(along).iter().all(|rect| self.is_free(rect)) {
            along += 12.0;
        }
        let along = if along + width < length { along } else { 24.0 };
        self.taken.extend(boxes(along));
        start(along)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Rect = Rect { left: 0.0, top: 0.0, right: 600.0, bottom: 400.0 };

    #[test]
    fn labels_of_points_at_one_place_do_not_meet() {
        let mut labels = Labels::new(FRAME);
        labels.keep_free(Rect::around(300.0, 200.0, 6.0));
        let spots: Vec<LabelPosition> =
            (0..20).filter_map(|_| labels.near(300.0, 200.0, 5.0, "a launch")).collect();
        assert_eq!(spots.len(), 20);
        assert!(spots[0].leader.is_none() && spots[19].leader.is_some());
        for (at, one) in labels.taken.iter().enumerate() {
            assert!(labels.taken[at + 1..].iter().all(|other| !one.meets(other)), "{one:?}");
            assert!(FRAME.holds(one), "{one:?}");
        }
    }

    #[test]
    fn where_nothing_is_free_there_is_no_label() {
        let mut labels = Labels::new(FRAME);
        labels.keep_free(FRAME);
        assert!(labels.near(300.0, 200.0, 5.0, "a launch").is_none());
    }

    #[test]
    fn labels_of_lines_give_way_to_points() {
        let mut labels = Labels::new(FRAME);
        assert!((labels.over_line(100.0, 0.0, 600.0, "FP32") - 594.0).abs() < 1e-9);
        labels.keep_free(Rect::around(580.0, 190.0, 6.0));
        assert!(labels.over_line(200.0, 0.0, 600.0, "FP32") <= 574.0);
        let (x, y) = labels.along((0.0, 400.0), (400.0, 0.0), "DRAM");
        assert!(x < y && y < 400.0);
    }
}
