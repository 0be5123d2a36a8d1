//! Points of the display, in the space their caller counts in.

use handset_model::Failure;
use handset_model::ui::Size;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// What a caller's coordinates count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Pixels of the display as the tree has them.
    #[default]
    Device,
    /// Parts of the display's width and height, 0–1.
    Normalized,
}

/// One point, and the name of its first coordinate in its tool's arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Such as `x1`.
    pub member: &'static str,
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// Points in one space, each fit for it; where they lie is known once the display's size is.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    points: Vec<Point>,
    space: Space,
}

/// The other coordinate of a point is named alike.
fn other(member: &str) -> String {
    member.replace('x', "y")
}

impl Points {
    /// Takes points as a caller gave them.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the coordinate that its space does not have: pixels are whole, parts lie in 0–1.
    pub fn new(space: Space, points: Vec<Point>) -> Result<Self, Failure> {
        for Point { member, x, y } in &points {
            for (member, at) in [((*member).to_owned(), *x), (other(member), *y)] {
                match space {
                    Space::Device if at.fract() != 0.0 => {
                        let message = format!("{member}: {at} is no whole pixel; space normalized takes fractions");
                        return Err(Failure::argument(member, message));
                    }
                    Space::Normalized if !(0.0..=1.0).contains(&at) => {
                        let message = format!("{member}: {at} is outside 0–1, which space normalized counts in");
                        return Err(Failure::argument(member, message));
                    }
                    _ => {}
                }
            }
        }
        Ok(Self { points, space })
    }

    /// Whether a display's size from before the lane was entered is good enough to check the points against.
    pub(super) fn are_pixels(&self) -> bool {
        self.space == Space::Device
    }

    /// The pixels they are on a display of this size.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the coordinate that lies outside.
    pub(super) fn on(&self, size: Size) -> Result<Vec<(i32, i32)>, Failure> {
        self.points.iter().map(|point| self.one(point, size)).collect()
    }

    fn one(&self, point: &Point, size: Size) -> Result<(i32, i32), Failure> {
        let Point { member, x, y } = *point;
        let at = |part: f64, pixels: u32| match self.space {
            Space::Device => part,
            // The last pixel is the one that 1 lies on.
            Space::Normalized => (part * f64::from(pixels)).floor().min(f64::from(pixels) - 1.0),
        };
        let (left, top) = (at(x, size.width), at(y, size.height));
        let inside = |at: f64, pixels: u32| (0.0..f64::from(pixels)).contains(&at);
        let outside = match (inside(left, size.width), inside(top, size.height)) {
            (true, true) => None,
            (false, _) => Some(member.to_owned()),
            (true, false) => Some(other(member)),
        };
        if let Some(member) = outside {
            let message = format!("({x}, {y}) is outside the display of {}x{}", size.width, size.height);
            return Err(Failure::argument(member, message));
        }
        #[expect(clippy::cast_possible_truncation, reason = "inside a display")]
        Ok((left as i32, top as i32))
    }

    pub(super) fn to_json(&self) -> Value {
        self.points.iter().map(|point| json!({ "x": point.x, "y": point.y })).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISPLAY: Size = Size { width: 1_080, height: 2_400 };

    fn point(x: f64, y: f64) -> Vec<Point> {
        vec![Point { member: "x1", x, y }]
    }

    fn lands(space: Space, x: f64, y: f64) -> Result<(i32, i32), String> {
        let landed = Points::new(space, point(x, y)).and_then(|points| points.on(DISPLAY));
        landed.map(|points| points[0]).map_err(|failure| failure.member.unwrap())
    }

    #[test]
    fn parts_of_the_display_become_its_pixels() {
        assert_eq!(lands(Space::Normalized, 0.0, 0.0), Ok((0, 0)));
        assert_eq!(lands(Space::Normalized, 0.5, 0.25), Ok((540, 600)));
        assert_eq!(lands(Space::Normalized, 1.0, 1.0), Ok((1_079, 2_399)));
        assert_eq!(lands(Space::Normalized, 0.999_999, 1.0), Ok((1_079, 2_399)));
        assert_eq!(lands(Space::Device, 1_079.0, 2_399.0), Ok((1_079, 2_399)));
    }

    #[test]
    fn what_a_space_does_not_have_is_refused_by_its_name() {
        assert_eq!(lands(Space::Device, 0.5, 1.0), Err("x1".to_owned()));
        assert_eq!(lands(Space::Device, 1.0, 0.5), Err("y1".to_owned()));
        assert_eq!(lands(Space::Normalized, 1.01, 0.5), Err("x1".to_owned()));
        assert_eq!(lands(Space::Normalized, 0.5, 540.0), Err("y1".to_owned()));
        assert_eq!(lands(Space::Device, 1_080.0, 1.0), Err("x1".to_owned()));
        assert_eq!(lands(Space::Device, 1.0, 2_400.0), Err("y1".to_owned()));
    }
}
