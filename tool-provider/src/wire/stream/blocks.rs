//! Content that comes block by block, of which a call's arguments are text in pieces: Anthropic's
//! and Bedrock's.

use serde_json::value::RawValue;

use super::super::call::ReadCall;
use super::super::hosted::{HostedCalls, ReadHosted};
use super::super::read::{Members, is_json, is_object};
use super::DeltaSink;
use super::tree::{Text, Tree};

/// The blocks in the order in which they began.
#[derive(Debug, Default)]
pub(in super::super) struct Blocks {
    blocks: Vec<Block>,
    hosted: HostedCalls,
}

#[derive(Debug)]
pub(in super::super) struct Block {
    index: String,
    pub(in super::super) tree: Tree,
    pub(in super::super) input: Text,
    /// Among the calls.
    place: Option<usize>,
    is_begun: bool,
    is_stopped: bool,
}

impl Blocks {
    /// The block of this index, begun if there is none.
    pub(in super::super) fn at(&mut self, index: Option<&RawValue>) -> &mut Block {
        let index = index.map_or("", RawValue::get);
        let found = self.blocks.iter().rposition(|block| block.index == index);
        let at = found.unwrap_or_else(|| {
            self.blocks.push(Block::new(index));
            self.blocks.len() - 1
        });
        // The place was found or made above.
        #[allow(clippy::indexing_slicing)]
        &mut self.blocks[at]
    }

    /// A block begins: another one than that of the same index, unless only pieces of it came so far.
    pub(in super::super) fn begin(
        &mut self,
        index: Option<&RawValue>,
        begun: &RawValue,
        call: ReadCall,
        sink: &mut DeltaSink,
    ) {
        let index = index.map_or("", RawValue::get);
        let found = self.blocks.iter().rposition(|block| block.index == index);
        let is_open = |block: &Block| !block.is_begun && !block.is_stopped;
        let found = found.filter(|at| self.blocks.get(*at).is_some_and(is_open));
        let mut block = found.map_or_else(|| Block::new(index), |at| self.blocks.remove(at));
        block.is_begun = true;
        block.tree.join(begun);
        // Of a key that stands twice there, the tree has the last, and so will the response.
        let json = block.tree.json();
        if let Some(call) = call(&Members::read(&json).unwrap_or_default()) {
            let place = self
                .blocks
                .iter()
                .filter(|block| block.place.is_some())
                .count();
            block.place = Some(place);
            sink.call(place, call.name());
            block.tell(sink);
        }
        // A block of text may begin with words.
        if block
            .tree
            .get("type")
            .is_some_and(|kind| kind.plain() == "text")
        {
            sink.words(block.tree.entry("text").news());
        }
        self.blocks.push(block);
    }

    /// Joins a piece to the block of this index; `add` takes its members one by one.
    pub(in super::super) fn join(
        &mut self,
        index: Option<&RawValue>,
        delta: Option<&RawValue>,
        add: fn(&mut Block, &str, &RawValue, &mut DeltaSink),
        sink: &mut DeltaSink,
    ) {
        let Some(Ok(delta)) = delta.map(|delta| Members::read(delta.get())) else {
            return;
        };
        let block = self.at(index);
        for (key, value) in delta.iter() {
            add(block, key, value, sink);
        }
    }

    /// A block is whole. `close` makes its tree that of a whole response.
    pub(in super::super) fn stop(
        &mut self,
        index: Option<&RawValue>,
        close: fn(&mut Block),
        hosted: ReadHosted,
        sink: &mut DeltaSink,
    ) {
        self.at(index);
        let index = index.map_or("", RawValue::get);
        let block = self.blocks.iter_mut().rfind(|block| block.index == index);
        if let Some(block) = block {
            block.stop(close, hosted, &mut self.hosted, sink);
        }
    }

    /// All blocks are whole.
    pub(in super::super) fn stop_all(
        &mut self,
        close: fn(&mut Block),
        hosted: ReadHosted,
        sink: &mut DeltaSink,
    ) {
        for block in &mut self.blocks {
            block.stop(close, hosted, &mut self.hosted, sink);
        }
    }

    pub(in super::super) fn into_iter(self) -> impl Iterator<Item = Block> {
        self.blocks.into_iter()
    }
}

impl Block {
    fn new(index: &str) -> Self {
        Self {
            index: index.to_owned(),
            tree: Tree::default(),
            input: Text::default(),
            place: None,
            is_begun: false,
            is_stopped: false,
        }
    }

    /// A piece of the arguments.
    pub(in super::super) fn add_input(&mut self, piece: &RawValue, sink: &mut DeltaSink) {
        self.input.push(piece);
        self.tell(sink);
    }

    /// Sends the part of a call's arguments that was not sent yet. A piece may come before its block is a call.
    fn tell(&mut self, sink: &mut DeltaSink) {
        if let Some(place) = self.place {
            sink.arguments(place, self.input.news());
        }
    }

    fn stop(
        &mut self,
        close: fn(&mut Self),
        hosted: ReadHosted,
        calls: &mut HostedCalls,
        sink: &mut DeltaSink,
    ) {
        if std::mem::replace(&mut self.is_stopped, true) || self.place.is_some() {
            return;
        }
        close(self);
        if let Ok(json) = RawValue::from_string(self.tree.json()) {
            sink.hosted(calls, hosted(&json, &Members::of(Some(&json))));
        }
    }

    /// Returns true if all of it came: it was said to be all, or nothing can follow an object of a call of ours.
    pub(in super::super) fn is_whole(&self, ended: bool) -> bool {
        let is_object = || self.input.text().is_some_and(|input| is_object(&input));
        ended || self.is_stopped || (self.place.is_some() && is_object())
    }

    /// The arguments, as they stand in a whole response: as JSON if they are, or else as the text
    /// that came. Without any, those that the block began with.
    pub(in super::super) fn arguments(&self, begun: Option<&Tree>) -> Tree {
        if self.input.is_empty() {
            return begun
                .filter(|begun| begun.json() != "null")
                .cloned()
                .unwrap_or_else(Tree::default);
        }
        let json = self.input.text();
        let json = json.filter(|json| is_json(json));
        Tree::Raw(json.unwrap_or_else(|| self.input.json()))
    }
}
