//! A picture made small enough for an answer: scaled, encoded, bounded.

use std::io::Cursor;

use handset_model::ui::Size;
use handset_model::{Code, Failure};
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits, RgbImage};

/// How a picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
}

impl Format {
    pub(super) const fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
        }
    }
}

/// A picture ready to be handed out.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) bytes: Vec<u8>,
    pub(super) format: Format,
    /// Of what is handed out.
    pub(super) size: Size,
    /// Of what the device printed.
    pub(super) original: Size,
    /// What had to be given up so that it fits.
    pub(super) reduced: Vec<String>,
    /// Every pixel is the same.
    pub(super) uniform: bool,
    /// The share of black pixels, 0 to 1.
    pub(super) black: f64,
}

/// Bytes of one picture: with the third that base64 adds, the whole answer stays under 1 MB.
pub(super) const MOST: usize = 700 * 1024;

/// Pixels a side, and bytes while it is decoded: far above any display.
const SIDE: u32 = 16_384;
const DECODING: u64 = 512 << 20;

/// JPEG quality, and what it may sink to before the picture itself gets smaller.
const QUALITY: u8 = 85;
const POOR: u8 = 60;

/// The size whose longer side is at most `edge`, in the same proportion.
pub(super) fn fitted(size: Size, edge: u32) -> Size {
    let long = size.width.max(size.height).max(1);
    if long <= edge {
        return size;
    }
    let scaled = |side: u32| {
        let exact = u64::from(side) * u64::from(edge);
        let rounded = (exact + u64::from(long) / 2) / u64::from(long);
        u32::try_from(rounded).unwrap_or(edge).max(1)
    };
    Size { width: scaled(size.width), height: scaled(size.height) }
}

/// Decodes what the device printed and makes it fit. It works the processor: call it off the reactor.
///
/// # Errors
/// `UNSUPPORTED`, retryable: no decoder takes it.
pub(super) fn fit(png: &[u8], edge: u32, format: Format, most: usize) -> Result<Picture, Failure> {
    let broken = |error: String| {
        Failure::new(Code::Unsupported, format!("this needs a picture that can be decoded: {error}"))
            .with_retryable(true)
            .with_remedy("Try again; if it persists, check the cable or the network to the device.")
    };
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE);
    limits.max_image_height = Some(SIDE);
    limits.max_alloc = Some(DECODING);
    reader.limits(limits);
    let whole = reader.decode().map_err(|error| broken(error.to_string()))?.into_rgb8();
    let original = Size { width: whole.width(), height: whole.height() };
    let (uniform, black) = looks(&whole);
    let mut size = fitted(original, edge);
    let mut image = scaled(&whole, size);
    let mut reduced = Vec::new();
    let (mut format, mut quality) = (format, QUALITY);
    loop {
        let bytes = written(&image, format, quality).map_err(broken)?;
        if bytes.len() <= most || size.width.max(size.height) <= 64 {
            return Ok(Picture { bytes, format, size, original, reduced, uniform, black });
        }
        match (format, quality) {
            (Format::Png, _) => {
                reduced.push(format!("png would take {} bytes: jpeg instead", bytes.len()));
                format = Format::Jpeg;
            }
            (Format::Jpeg, QUALITY) => {
                reduced.push(format!("jpeg quality {POOR}"));
                quality = POOR;
            }
            (Format::Jpeg, _) => {
                size = fitted(original, size.width.max(size.height) * 3 / 4);
                reduced.push(format!("long edge {}", size.width.max(size.height)));
                image = scaled(&whole, size);
            }
        }
    }
}

fn scaled(whole: &RgbImage, size: Size) -> RgbImage {
    if (whole.width(), whole.height()) == (size.width, size.height) {
        return whole.clone();
    }
    image::imageops::resize(whole, size.width, size.height, FilterType::Triangle)
}

fn written(image: &RgbImage, format: Format, quality: u8) -> Result<Vec<u8>, String> {
    let mut out = Cursor::new(Vec::new());
    let done = match format {
        Format::Png => DynamicImage::ImageRgb8(image.clone()).write_to(&mut out, ImageFormat::Png),
        Format::Jpeg => image.write_with_encoder(JpegEncoder::new_with_quality(&mut out, quality)),
    };
    done.map(|()| out.into_inner()).map_err(|error| error.to_string())
}

/// Whether every pixel is the same, and the share of those that are black.
fn looks(image: &RgbImage) -> (bool, f64) {
    let mut pixels = image.pixels();
    let Some(first) = pixels.next() else { return (true, 0.0) };
    let uniform = pixels.all(|pixel| pixel == first);
    let black = image.pixels().filter(|pixel| pixel.0.iter().all(|part| *part <= 4)).count();
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = black as f64 / (image.width() as f64 * image.height() as f64).max(1.0);
    (uniform, share)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let image = RgbImage::from_fn(width, height, |x, y| image::Rgb(pixel(x, y)));
        written(&image, Format::Png, 0).unwrap()
    }

    fn noise(x: u32, y: u32) -> [u8; 3] {
        let hash = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)).wrapping_mul(2_246_822_519);
        [(hash >> 8) as u8, (hash >> 16) as u8, (hash >> 24) as u8]
    }

    #[test]
    fn a_side_too_long_is_scaled_in_proportion() {
        let size = |width, height| Size { width, height };
        assert_eq!(fitted(size(1080, 2400), 1568), size(706, 1568));
        assert_eq!(fitted(size(2400, 1080), 1568), size(1568, 706));
        assert_eq!(fitted(size(800, 600), 1568), size(800, 600));
        assert_eq!(fitted(size(1, 9_000), 100), size(1, 100));
    }

    #[test]
    fn a_scaled_picture_shows_what_stood_there() {
        // The left half red, the right half blue.
        let picture =
            fit(&png(1000, 2000, |x, _| if x < 500 { [255, 0, 0] } else { [0, 0, 255] }), 500, Format::Png, MOST)
                .unwrap();
        assert_eq!(
            (picture.size, picture.original),
            (Size { width: 250, height: 500 }, Size { width: 1000, height: 2000 })
        );
        let image = image::load_from_memory(&picture.bytes).unwrap().into_rgb8();
        assert_eq!((image.get_pixel(10, 10).0, image.get_pixel(240, 490).0), ([255, 0, 0], [0, 0, 255]));
        assert!(picture.reduced.is_empty() && !picture.uniform);
    }

    #[test]
    fn a_picture_that_is_too_large_is_written_otherwise_and_says_so() {
        let picture = fit(&png(700, 700, noise), 1568, Format::Png, 120 * 1024).unwrap();
        assert!(picture.bytes.len() <= 120 * 1024, "{}", picture.bytes.len());
        assert_eq!(picture.format, Format::Jpeg);
        assert!(picture.reduced[0].contains("jpeg instead") && picture.reduced.len() >= 3, "{:?}", picture.reduced);
        assert!(picture.bytes.starts_with(b"\xff\xd8"));
    }

    #[test]
    fn one_colour_is_told_and_black_is_measured() {
        let grey = fit(&png(20, 20, |_, _| [90, 90, 90]), 1568, Format::Jpeg, MOST).unwrap();
        assert!(grey.uniform && grey.black < 0.01);
        let black = fit(&png(20, 20, |_, y| if y == 0 { [255; 3] } else { [0; 3] }), 1568, Format::Png, MOST).unwrap();
        assert!(!black.uniform && black.black > 0.9);
    }

    #[test]
    fn what_no_decoder_takes_is_refused() {
        let mut bytes = png(20, 20, noise);
        bytes.truncate(60);
        assert_eq!(fit(&bytes, 100, Format::Png, MOST).unwrap_err().code, Code::Unsupported);
    }
}
