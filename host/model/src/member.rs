//! Paths of members as people write them, such as `steps[2].selector.text`: what [`crate::Failure::member`] holds.

/// `name` inside the object at `path`; the root's path is empty.
#[must_use]
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// A JSON pointer (RFC 6901) as such a path: `/selector/items/0` is `selector.items[0]`.
#[must_use]
pub fn of_pointer(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{part}]"));
        } else {
            path = join(&path, &part);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_read_as_paths() {
        for (pointer, path) in [
            ("", ""),
            ("/selector/items/0", "selector.items[0]"),
            ("/steps/12/args/a~1b", "steps[12].args.a/b"),
            ("/0/x", "[0].x"),
        ] {
            assert_eq!(of_pointer(pointer), path);
        }
    }
}
