//! The files of a project, from the templates beside this room and the crate and WIT of this repository.

use super::{Kind, Lang, Project};

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../templates/", $path))
    };
}

macro_rules! files {
    ($root:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!($root, $path)))),*]
    };
}

/// The door.
const WIT: &[(&str, &str)] = files!("../../../../../wit/": "host.wit", "plugin.wit", "ui.wit");

/// The crate `handset-plugin`.
const SDK: &[(&str, &str)] = files!(
    "../../../../../plugins/sdk/src/": "bindings.rs", "classifier.rs", "lib.rs", "log.rs", "panic.rs", "predicate.rs",
    "schema.rs", "screen.rs", "selector.rs", "session.rs", "settings.rs", "step.rs",
);

const READINESS: &[(&str, &str)] = files!("../templates/cases/": "placeholders.toml", "content.toml");
const CONDITION: &[(&str, &str)] =
    files!("../templates/cases/": "unchanged.toml", "changed.toml", "no-baseline.toml", "no-id.toml");
const STEP: &[(&str, &str)] = files!("../templates/cases/": "buys.toml", "nothing-to-tap.toml", "not-granted.toml");

impl Project<'_> {
    /// Every file by its path in the project, with forward slashes.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![
            ("plugin.toml".to_owned(), self.filled(template!("plugin.toml.in"))),
            ("README.md".to_owned(), self.filled(template!("README.md.in"))),
            ("cases/app.scene.toml".to_owned(), template!("cases/app.scene.toml").to_owned()),
        ];
        let cases = match self.kind {
            Kind::Readiness => READINESS,
            Kind::Condition => CONDITION,
            Kind::Step => STEP,
        };
        files.extend(cases.iter().map(|(name, text)| (format!("cases/{name}"), (*text).to_owned())));
        match self.lang {
            Lang::Rust => self.rust(&mut files),
            Lang::Js => self.js(&mut files),
            Lang::Python => self.python(&mut files),
        }
        files
    }

    fn rust(&self, files: &mut Vec<(String, String)>) {
        let source = match self.kind {
            Kind::Readiness => template!("rust/readiness.rs"),
            Kind::Condition => template!("rust/condition.rs"),
            Kind::Step => template!("rust/step.rs"),
        };
        self.put(files, "Cargo.toml", template!("rust/Cargo.toml.in"));
        self.put(files, "src/lib.rs", source);
        self.put(files, "component/Cargo.toml", template!("rust/component/Cargo.toml.in"));
        self.put(files, "component/src/main.rs", template!("rust/component/main.rs"));
        self.put(files, ".gitignore", "/target\n/*.wasm\n");
        if self.sdk.is_some() {
            return;
        }
        self.put(files, "sdk/Cargo.toml", template!("rust/sdk.toml.in"));
        for (name, text) in SDK {
            // In the repository the door lies two folders up; here it lies in the crate.
            files.push((
                format!("sdk/src/{name}"),
                text.replace("\"../../wit\"", "\"wit\"").replace("../../wit,", "wit,"),
            ));
        }
        wit("sdk/wit/", files);
    }

    fn js(&self, files: &mut Vec<(String, String)>) {
        let source = match self.kind {
            Kind::Readiness => template!("js/readiness.js"),
            Kind::Condition => template!("js/condition.js"),
            Kind::Step => template!("js/step.js"),
        };
        self.put(files, "package.json", template!("js/package.json"));
        self.put(files, "build.mjs", template!("js/build.mjs"));
        self.put(files, "plugin.js", source);
        self.put(files, "handset.js", template!("js/handset.js"));
        self.put(files, ".gitignore", "/node_modules\n/*.wasm\n");
        wit("wit/", files);
    }

    fn python(&self, files: &mut Vec<(String, String)>) {
        let source = match self.kind {
            Kind::Readiness => template!("python/readiness.py"),
            Kind::Condition => template!("python/condition.py"),
            Kind::Step => template!("python/step.py"),
        };
        self.put(files, "pyproject.toml", template!("python/pyproject.toml.in"));
        self.put(files, "app.py", source);
        self.put(files, "handset.py", template!("python/handset.py"));
        self.put(files, ".gitignore", "/.venv\n__pycache__\n/*.wasm\n");
        wit("wit/", files);
    }

    fn put(&self, files: &mut Vec<(String, String)>, path: &str, template: &str) {
        files.push((path.to_owned(), self.filled(template)));
    }

    fn filled(&self, template: &str) -> String {
        template
            .replace("@NAME@", self.name)
            .replace("@WORLD@", self.kind.world())
            .replace("@GRANTS@", self.kind.grants())
            .replace("@KIND@", self.kind.word())
            .replace("@LANGUAGE@", self.lang.shown())
            .replace("@BUILD@", self.lang.builds())
            .replace("@NEEDS@", self.lang.needs())
            .replace("@SDK@", self.sdk.as_deref().unwrap_or("sdk"))
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
    }
}

fn wit(folder: &str, files: &mut Vec<(String, String)>) {
    files.extend(WIT.iter().map(|(name, text)| (format!("{folder}{name}"), (*text).to_owned())));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn there(folder: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn the_whole_crate_and_the_whole_door_go_into_a_project() {
        let names = |files: &[(&str, &str)]| files.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(names(SDK), there("../plugins/sdk/src"));
        assert_eq!(names(WIT), there("../wit"));
    }

    #[test]
    fn a_copy_of_the_crate_finds_its_door_beside_it_and_needs_what_the_crate_needs() {
        let project = Project { name: "a", kind: Kind::Step, lang: Lang::Rust, sdk: None };
        let files = project.files();
        let text = |path: &str| files.iter().find(|(name, _)| name == path).unwrap().1.clone();
        assert!(!text("sdk/src/bindings.rs").contains("../wit"));
        let guests = include_str!("../../../../../plugins/Cargo.toml");
        for name in ["schemars", "serde", "serde_json", "wit-bindgen"] {
            let line = |text: &str| text.lines().find(|line| line.starts_with(&format!("{name} ="))).map(str::to_owned);
            assert_eq!(line(&text("sdk/Cargo.toml")), line(guests), "{name}");
        }
    }

    #[test]
    fn the_examples_in_other_languages_stand_on_what_a_new_project_stands_on() {
        for (lang, kind, name) in
            [(Lang::Js, Kind::Readiness, "skeleton-screens"), (Lang::Python, Kind::Condition, "balance-unchanged")]
        {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/foreign").join(name);
            let project = Project { name, kind, lang, sdk: None };
            let own = ["plugin.js", "app.py"];
            let shared = |path: &str| !own.contains(&path) && !path.starts_with("cases/");
            for (path, text) in project.files().into_iter().filter(|(path, _)| shared(path)) {
                let there = std::fs::read_to_string(folder.join(&path)).unwrap_or_default();
                assert_eq!(there.replace("\r\n", "\n"), text, "{name}/{path}");
            }
        }
    }
}
