//! Line breaking: text with places where lines may end, in groups that are either on one line or broken at each of
//! their places (Oppen's "Prettyprinting", with the widths of groups computed ahead).

/// Longest line that is not broken, in characters.
pub const WIDTH: usize = 100;

/// Columns of one level of indentation.
const INDENT: usize = 4;

enum Op<'a> {
    Text(&'a str),
    /// A comment: a blank before it unless its line starts there. What fits on a line does not depend on comments, so that a
    /// long one breaks nothing.
    Comment(&'a str),
    /// The blank behind a comment that does not end its line.
    Gap,
    /// A blank, or a line end if the group is broken.
    Line,
    /// Nothing, or a line end if the group is broken.
    Soft,
    /// A blank if what comes before the op of this index fits on the line, else a line end.
    Fill(usize),
    /// A line end.
    Hard,
    /// A line end, unless the line is empty.
    Fresh,
    /// An empty line, behind a line end.
    Blank,
    /// Breaks the groups around it.
    Force,
    /// Text in a broken group.
    IfBroken(&'a str),
    Begin,
    End,
    Indent,
    Dedent,
}

/// What is to be laid out.
#[derive(Default)]
pub struct Layout<'a> {
    ops: Vec<Op<'a>>,
    /// Comments behind what was laid out last, on its line: outside of the groups that end there.
    behind: Vec<&'a str>,
}

/// A place made by [`Layout::fill`].
pub struct Filled(usize);

impl<'a> Layout<'a> {
    /// Adds an op, and before it the comments that wait for a place.
    fn push(&mut self, op: Op<'a>) {
        if !self.behind.is_empty() {
            self.ops.extend(self.behind.drain(..).map(Op::Comment));
            self.ops.push(Op::Fresh);
        }
        self.ops.push(op);
    }

    pub fn text(&mut self, text: &'a str) {
        self.push(Op::Text(text));
    }

    /// A comment behind what was laid out last, which ends its line.
    pub fn behind(&mut self, text: &'a str) {
        self.behind.push(text);
    }

    /// Text before comments that wait.
    pub fn before_comments(&mut self, text: &'a str) {
        self.ops.push(Op::Text(text));
    }

    pub fn comment(&mut self, text: &'a str) {
        self.push(Op::Comment(text));
    }

    pub fn space(&mut self) {
        self.push(Op::Text(" "));
    }

    pub fn gap(&mut self) {
        self.push(Op::Gap);
    }

    pub fn line(&mut self) {
        self.push(Op::Line);
    }

    pub fn soft(&mut self) {
        self.push(Op::Soft);
    }

    pub fn hard(&mut self) {
        self.push(Op::Hard);
    }

    pub fn fresh(&mut self) {
        self.push(Op::Fresh);
    }

    pub fn blank(&mut self) {
        self.push(Op::Blank);
    }

    pub fn force(&mut self) {
        self.push(Op::Force);
    }

    pub fn if_broken(&mut self, text: &'a str) {
        self.ops.push(Op::IfBroken(text));
    }

    pub fn begin(&mut self) {
        self.push(Op::Begin);
    }

    pub fn end(&mut self) {
        self.ops.push(Op::End);
    }

    pub fn indent(&mut self) {
        self.ops.push(Op::Indent);
    }

    pub fn dedent(&mut self) {
        self.ops.push(Op::Dedent);
    }

    /// A blank or a line end, whichever lets what comes up to [`Layout::filled`] fit.
    pub fn fill(&mut self) -> Filled {
        self.push(Op::Fill(0));
        Filled(self.ops.len() - 1)
    }

    pub fn filled(&mut self, at: Filled) {
        self.ops[at.0] = Op::Fill(self.ops.len());
    }

    /// The text.
    pub fn print(&self) -> String {
        let plan = Plan::new(&self.ops);
        let mut out = Out::default();
        let mut flat: Vec<bool> = Vec::new();
        for (i, op) in self.ops.iter().enumerate() {
            let is_flat = flat.last().copied().unwrap_or(false);
            match op {
                Op::Text(text) => out.text(text),
                Op::Comment(text) => out.comment(text),
                Op::Gap => out.text(" "),
                Op::Line | Op::Fill(_) if is_flat => out.text(" "),
                Op::Soft | Op::IfBroken(_) if is_flat => {}
                Op::Fill(end) if out.column() + plan.width(i, *end) <= WIDTH => out.text(" "),
                Op::IfBroken(text) => out.text(text),
                Op::Line | Op::Soft | Op::Fill(_) | Op::Hard => out.newline(),
                Op::Fresh => out.fresh(),
                Op::Blank => out.blank = true,
                Op::Force => {}
                Op::Begin => {
                    let fits = || out.column() + plan.width(i, plan.breaks[plan.ends[i]]) <= WIDTH;
                    flat.push(is_flat || (!plan.forced[i] && fits()));
                }
                Op::End => drop(flat.pop()),
                Op::Indent => out.indent += INDENT,
                Op::Dedent => out.indent -= INDENT,
            }
        }
        out.finish()
    }
}

/// What is known of each op before anything is printed.
struct Plan {
    /// Width of all before it, on one line.
    before: Vec<usize>,
    /// Of `Begin`: the index of its `End`.
    ends: Vec<usize>,
    /// Of `Begin`: whether it cannot be on one line.
    forced: Vec<bool>,
    /// The next place where a line may end.
    breaks: Vec<usize>,
}

impl Plan {
    fn new(ops: &[Op]) -> Plan {
        let n = ops.len();
        let mut plan = Plan {
            before: Vec::with_capacity(n + 1),
            ends: vec![n; n],
            forced: vec![false; n],
            breaks: vec![n; n + 1],
        };
        let (mut width, mut open) = (0, Vec::new());
        for (i, op) in ops.iter().enumerate() {
            plan.before.push(width);
            width += match op {
                Op::Text(text) => text.chars().count(),
                Op::Line | Op::Fill(_) => 1,
                _ => 0,
            };
            let forces = match op {
                Op::Hard | Op::Fresh | Op::Force => true,
                Op::Comment(text) => text.contains('\n'),
                _ => false,
            };
            if forces {
                // What is outside a forced group is forced already.
                open.iter().rev().take_while(|&&at| !std::mem::replace(&mut plan.forced[at], true)).count();
            }
            match op {
                Op::Begin => open.push(i),
                Op::End => {
                    if let Some(at) = open.pop() {
                        plan.ends[at] = i;
                    }
                }
                _ => {}
            }
        }
        plan.before.push(width);
        for (i, op) in ops.iter().enumerate().rev() {
            let here = matches!(op, Op::Line | Op::Soft | Op::Fill(_) | Op::Hard | Op::Fresh);
            plan.breaks[i] = if here { i } else { plan.breaks[i + 1] };
        }
        plan
    }

    fn width(&self, from: usize, to: usize) -> usize {
        self.before[to] - self.before[from]
    }
}

#[derive(Default)]
struct Out {
    text: String,
    /// Characters on the last line.
    column: usize,
    indent: usize,
    /// A line end that waits for text, with the indentation behind it.
    pending: Option<usize>,
    /// Whether an empty line goes there, too.
    blank: bool,
}

impl Out {
    fn column(&self) -> usize {
        self.pending.unwrap_or(self.column)
    }

    fn newline(&mut self) {
        self.pending = Some(self.indent);
        self.blank = false;
    }

    fn fresh(&mut self) {
        if self.pending.is_none() {
            self.newline();
        }
    }

    fn text(&mut self, text: &str) {
        let mut text = text;
        if self.pending.is_some() || self.text.is_empty() {
            text = text.trim_start_matches(' ');
            if text.is_empty() {
                return;
            }
            self.start_line();
        }
        self.text.push_str(text);
        self.column = match text.rfind('\n') {
            Some(at) => text[at + 1..].chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    fn start_line(&mut self) {
        let Some(indent) = self.pending.take() else { return };
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        let blank = std::mem::take(&mut self.blank);
        if self.text.is_empty() {
            return;
        }
        self.text.push_str(if blank { "\n\n" } else { "\n" });
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn comment(&mut self, text: &str) {
        let inside = text.starts_with("/*") && self.text.ends_with(['(', '[']);
        if self.pending.is_none() && !inside && !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text(" ");
        }
        self.text(text);
    }

    fn finish(mut self) -> String {
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }
}
