//! From tokens to a tree: follows open and close tags without recursion, keeps what says something.

use super::parse::ParseOptions;
use super::token::{Token, Tokenizer};
use super::{Limitation, Rect, Tree, Window, node};

/// Deeper nodes are counted, not kept. Real trees stay under 100; React Native reaches some hundreds.
const MAX_DEPTH: usize = 4096;
/// Nodes past this are counted, not kept: such a tree helps no one and costs every request memory.
const MAX_NODES: u32 = 50_000;

/// What an open tag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Displays,
    Display,
    Window,
    Hierarchy,
    Node,
}

/// An open tag.
#[derive(Clone, Debug)]
struct Frame<'a> {
    name: &'a str,
    kind: Kind,
    /// Nearest kept element, itself included.
    kept: Option<u32>,
    /// What of a descendant can show: the intersection of all clipping ancestors.
    clip: Option<Rect>,
    /// The window its nodes belong to; `None` until the first node of a plain hierarchy.
    window: Option<u32>,
    depth: u32,
    /// On a display other than the one inputs go to.
    elsewhere: bool,
    framework: Option<node::Framework>,
    /// Elements kept before it was opened.
    kept_before: usize,
}

/// How the input ended.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The last hierarchy in the input is whole.
    Complete { tree: Tree, from: usize, to: usize },
    /// A hierarchy opens at `from` and is not closed; `nodes` were read.
    Cut { from: usize, nodes: u32 },
    /// Tags do not fit each other at `at`: bytes are missing inside.
    Broken { at: usize, nodes: u32, what: String },
    /// No hierarchy; the first element found instead.
    Nothing { foreign: Option<(String, usize)> },
}

/// A tag's name for a message: none of Android's is longer.
fn short(name: &str) -> &str {
    name.get(..64).unwrap_or(name)
}

/// Reads the last hierarchy of the input: when a command was repeated, the later tree is the one that counts.
pub(super) fn build(tokens: &mut Tokenizer<'_>, options: &ParseOptions) -> Outcome {
    let mut outcome = Outcome::Nothing { foreign: None };
    let mut builder = Builder::new(options);
    while let Some(token) = tokens.next() {
        match token {
            Token::Open { name, at, closed } => {
                if builder.restarts(name) {
                    builder = Builder::new(options);
                }
                let Some(kind) = builder.kind_of(name, tokens) else {
                    if let Outcome::Nothing { foreign: foreign @ None } = &mut outcome
                        && builder.stack.is_empty()
                    {
                        *foreign = Some((name.to_owned(), at));
                    }
                    tokens.keep_tag(at);
                    continue;
                };
                tokens.separate();
                builder.open(name, kind, at, tokens);
                if closed {
                    builder.close();
                }
            }
            Token::Close { name, at } => match builder.closes(name) {
                Closes::Top => {
                    tokens.separate();
                    builder.close();
                }
                Closes::Nothing => {
                    tokens.keep_tag(at);
                    continue;
                }
                Closes::Wrong => {
                    let open = builder.stack.last().map_or("nothing", |frame| frame.name);
                    let what = format!("</{}> where <{}> is open", short(name), short(open));
                    outcome = Outcome::Broken { at, nodes: builder.tree.node_count, what };
                    builder = Builder::new(options);
                    continue;
                }
            },
            Token::Broken { name, at } => {
                if !builder.stack.is_empty() {
                    let what = format!("a tag begins inside <{}", short(name));
                    outcome = Outcome::Broken { at, nodes: builder.tree.node_count, what };
                    builder = Builder::new(options);
                }
                continue;
            }
            Token::Cut { at } => {
                if builder.stack.is_empty() && matches!(outcome, Outcome::Complete { .. }) {
                    break;
                }
                if builder.stack.is_empty() && !tokens_begin_tree(tokens, at) {
                    break;
                }
                let from = if builder.stack.is_empty() { at } else { builder.from };
                return Outcome::Cut { from, nodes: builder.tree.node_count };
            }
        }
        if builder.stack.is_empty() {
            let done = std::mem::replace(&mut builder, Builder::new(options));
            let empty = done.tree.node_count == 0;
            // An empty hierarchy after a full one is a vendor's second answer, not a newer screen.
            if !(empty && matches!(&outcome, Outcome::Complete { tree, .. } if tree.node_count > 0)) {
                outcome = Outcome::Complete { tree: done.tree, from: done.from, to: tokens.position() };
            }
        }
    }
    if builder.stack.is_empty() {
        return outcome;
    }
    Outcome::Cut { from: builder.from, nodes: builder.tree.node_count }
}

/// Whether the cut tag at `at` is the beginning of a hierarchy.
fn tokens_begin_tree(tokens: &Tokenizer<'_>, at: usize) -> bool {
    let tag = tokens.text_from(at);
    ["<hierarchy", "<displays", "<node"].iter().any(|name| tag.starts_with(name))
}

enum Closes {
    Top,
    Nothing,
    Wrong,
}

#[derive(Debug)]
struct Builder<'a, 'o> {
    options: &'o ParseOptions,
    tree: Tree,
    stack: Vec<Frame<'a>>,
    from: usize,
    /// Nodes open beyond the depth cap.
    beyond: usize,
    main_display: Option<String>,
    truncated: bool,
}

impl<'a, 'o> Builder<'a, 'o> {
    fn new(options: &'o ParseOptions) -> Self {
        Self {
            options,
            tree: Tree::default(),
            stack: Vec::new(),
            from: 0,
            beyond: 0,
            main_display: None,
            truncated: false,
        }
    }

    /// A root inside a root: the first was cut and another dump follows it.
    fn restarts(&self, name: &str) -> bool {
        match self.stack.last() {
            None => false,
            Some(top) => {
                name == "displays" || (name == "hierarchy" && matches!(top.kind, Kind::Node | Kind::Hierarchy))
            }
        }
    }

    /// What an open tag is here; `None`: nothing of a dump.
    fn kind_of(&self, name: &str, tokens: &Tokenizer<'_>) -> Option<Kind> {
        let top = self.stack.last().map(|frame| frame.kind);
        let has = |wanted: &str| tokens.attributes.iter().any(|(name, _)| *name == wanted);
        match (name, top) {
            ("hierarchy", None | Some(Kind::Window | Kind::Display | Kind::Displays)) => Some(Kind::Hierarchy),
            ("displays", None) => Some(Kind::Displays),
            ("display", Some(Kind::Displays)) => Some(Kind::Display),
            ("window", Some(Kind::Displays | Kind::Display | Kind::Window)) => Some(Kind::Window),
            ("node", Some(Kind::Hierarchy | Kind::Node)) => Some(Kind::Node),
            // A subtree that somebody saved: a node is its own root.
            ("node", None) if has("bounds") => Some(Kind::Node),
            // Page sources of UI Automator servers name the tag by the class.
            (_, Some(Kind::Hierarchy | Kind::Node)) if has("bounds") => Some(Kind::Node),
            _ => None,
        }
    }

    fn closes(&self, name: &str) -> Closes {
        match self.stack.last() {
            None => Closes::Nothing,
            Some(_) if self.beyond > 0 && name == "node" => Closes::Top,
            Some(top) if top.name == name && self.beyond == 0 => Closes::Top,
            Some(_) if matches!(name, "node" | "hierarchy" | "window" | "display" | "displays") => Closes::Wrong,
            Some(_) => Closes::Nothing,
        }
    }

    fn open(&mut self, name: &'a str, kind: Kind, at: usize, tokens: &Tokenizer<'a>) {
        if self.stack.is_empty() {
            self.from = at;
        }
        if self.beyond > 0 || self.stack.len() >= MAX_DEPTH {
            self.beyond += 1;
            self.count_elided(true);
            return;
        }
        let parent = self.stack.last();
        let mut frame = Frame {
            name,
            kind,
            kept: parent.and_then(|parent| parent.kept),
            clip: parent.and_then(|parent| parent.clip),
            window: parent.and_then(|parent| parent.window),
            depth: parent.map_or(0, |parent| if parent.kind == Kind::Node { parent.depth + 1 } else { 0 }),
            elsewhere: parent.is_some_and(|parent| parent.elsewhere),
            framework: None,
            kept_before: self.tree.elements.len(),
        };
        let attribute =
            |wanted: &str| tokens.attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
        match kind {
            Kind::Displays => {}
            Kind::Display => {
                let id = attribute("id").unwrap_or_default();
                frame.elsewhere = self.main_display.get_or_insert_with(|| id.to_owned()) != id;
            }
            Kind::Window if frame.elsewhere => {}
            Kind::Window => {
                let window = node::window(tokens, &mut self.tree.replaced_characters);
                frame.window = Some(self.add_window(window));
            }
            Kind::Hierarchy => {
                let rotation = attribute("rotation").and_then(|value| value.trim().parse::<u8>().ok());
                if let Some(rotation) = rotation.filter(|_| !frame.elsewhere) {
                    self.tree.rotation = rotation % 4;
                }
            }
            Kind::Node => self.add_node(&mut frame, tokens),
        }
        self.stack.push(frame);
    }

    fn add_window(&mut self, window: Window) -> u32 {
        self.tree.windows.push(window);
        u32::try_from(self.tree.windows.len() - 1).unwrap_or(u32::MAX)
    }

    fn add_node(&mut self, frame: &mut Frame<'a>, tokens: &Tokenizer<'a>) {
        if frame.elsewhere || self.tree.node_count >= MAX_NODES {
            return self.count_elided(!frame.elsewhere);
        }
        let mut parsed = node::parse(frame.name, tokens, self.options.secret_key, &mut self.tree.replaced_characters);
        let bounds = parsed.element.bounds;
        let is_root = self.stack.last().is_none_or(|parent| parent.kind != Kind::Node);
        let window = match frame.window {
            Some(window) => window,
            None => self.add_window(Window { bounds, ..Window::default() }),
        };
        frame.window = Some(window);
        if is_root && let Some(window) = self.tree.windows.get_mut(window as usize) {
            window.package = window.package.take().or_else(|| parsed.element.package.clone());
            if window.bounds.is_empty() {
                window.bounds = bounds;
            }
        }
        frame.framework = parsed.framework;
        self.tree.node_count += 1;
        let visible = frame.clip.map_or(bounds, |clip| bounds.intersect(&clip));
        // Some layouts give a container no size and draw its children all the same: it clips nothing.
        if bounds.left != bounds.right && bounds.top != bounds.bottom {
            frame.clip = Some(visible);
        }
        if !parsed.says_something() {
            self.tree.elided += 1;
            return;
        }
        let index = u32::try_from(self.tree.elements.len()).unwrap_or(u32::MAX);
        if let Some(parent) = frame.kept.and_then(|parent| self.tree.elements.get_mut(parent as usize)) {
            parent.children.push(index);
        }
        let root_package = self.tree.windows.get(window as usize).and_then(|window| window.package.as_ref());
        if parsed.element.package.as_ref() == root_package {
            parsed.element.package = None;
        }
        parsed.element.visible_bounds = visible;
        parsed.element.parent = frame.kept;
        parsed.element.depth = frame.depth;
        parsed.element.window = window;
        self.tree.elements.push(parsed.element);
        frame.kept = Some(index);
    }

    fn count_elided(&mut self, capped: bool) {
        self.tree.node_count = self.tree.node_count.saturating_add(1);
        self.tree.elided = self.tree.elided.saturating_add(1);
        if capped && !self.truncated {
            self.truncated = true;
            self.tree.limitations.push(Limitation::Truncated);
        }
    }

    fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let Some(framework) = frame.framework else {
            return;
        };
        // The framework's own view may be kept: only what is inside it counts.
        let inside = frame.kept.map_or(frame.kept_before, |kept| frame.kept_before.max(kept as usize + 1));
        let content = self.tree.elements.get(inside..).unwrap_or_default();
        if let Some(limitation) = framework.limitation(content)
            && !self.tree.limitations.contains(&limitation)
        {
            self.tree.limitations.push(limitation);
        }
    }
}
