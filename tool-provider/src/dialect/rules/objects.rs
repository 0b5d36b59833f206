//! Rules of a dialect for objects, their keys and unions of them.

use super::super::LowerErrorCode;
use super::{Maps, NullPresence, Objects, Optional, Rules};

/// Kinds of a tool's arguments.
#[derive(Clone, Copy)]
pub(in super::super) enum Root {
    Object,
    /// An object that has a union beside its keys.
    WithUnion,
    /// An object that has `allOf` beside its keys.
    WithAllOf,
    /// A type whose values are objects of several kinds. Its schema is not an object's.
    Objects,
    Other,
}

/// Facts that decide how an object is sent.
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
#[derive(Clone, Copy)]
pub(in super::super) struct ObjectFacts {
    pub(in super::super) is_root: bool,
    /// It declares keys.
    pub(in super::super) declares: bool,
    /// It takes others.
    pub(in super::super) is_open: bool,
    /// It has no keys but such as any of its values may have.
    pub(in super::super) is_map: bool,
    /// Other keys have no rule.
    pub(in super::super) any_key: bool,
}

/// Forms that an object is sent in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ObjectForm {
    Object,
    /// A list of entries.
    Entries,
}

impl Rules {
    /// Returns the reject code of arguments of this kind, if any.
    pub(in super::super) const fn root(&self, root: Root) -> Option<LowerErrorCode> {
        match root {
            Root::Object => None,
            Root::WithUnion | Root::WithAllOf if self.root_union => None,
            Root::WithAllOf => Some(LowerErrorCode::AllOf),
            Root::Objects if self.root_union => Some(LowerErrorCode::RootNotObject),
            Root::WithUnion | Root::Objects => Some(LowerErrorCode::RootUnion),
            Root::Other => Some(LowerErrorCode::RootNotObject),
        }
    }

    /// Returns the form that an object is sent in, or its reject code.
    pub(in super::super) const fn object(
        &self,
        object: ObjectFacts,
    ) -> Result<ObjectForm, LowerErrorCode> {
        let sends_entries = match self.maps {
            Maps::Kept => false,
            Maps::AnyKey => !object.any_key,
            Maps::Entries => true,
        };
        let is_closed = matches!(self.objects, Objects::Closed | Objects::Unmarked);
        if object.is_map && sends_entries && !object.is_root {
            Ok(ObjectForm::Entries)
        } else if object.is_map && sends_entries || object.is_open && is_closed {
            // A list cannot replace the arguments' object.
            Err(LowerErrorCode::OpenObject)
        } else if !object.declares && !object.is_open && !object.is_root && !self.empty_objects {
            Err(LowerErrorCode::NestedEmptyObject)
        } else {
            Ok(ObjectForm::Object)
        }
    }

    /// Returns true if a root without declared keys is sent without any: there is no looser mode.
    pub(in super::super) const fn narrows_bare_root(&self) -> bool {
        !matches!(self.objects, Objects::Kept) && self.non_strict.is_none()
    }

    /// Returns whether a key is in `required`, and the `null` behind it.
    pub(in super::super) const fn key(&self, may_miss: bool) -> (bool, NullPresence) {
        match self.optional {
            _ if !may_miss => (true, NullPresence::AsSaid),
            Optional::Kept => (false, NullPresence::AsSaid),
            Optional::Null => (true, NullPresence::Always),
            Optional::Absent => (false, NullPresence::Never),
        }
    }

    /// Returns the reject code of an argument's name, if any.
    pub(in super::super) const fn argument(&self, name: &str) -> Option<LowerErrorCode> {
        match &self.argument_name {
            Some(rule) if !rule.accepts(name) => Some(LowerErrorCode::PropertyName),
            _ => None,
        }
    }

    /// Returns the reject code of a union beside keys, if any.
    pub(in super::super) const fn union_beside_keys(
        &self,
        is_root: bool,
    ) -> Option<LowerErrorCode> {
        let is_taken = if is_root {
            self.root_union
        } else {
            self.object_with_union
        };
        if is_taken {
            None
        } else {
            Some(LowerErrorCode::ObjectWithUnion)
        }
    }

    /// Returns the reject code of two objects of a union by their first keys, if any. `differ`: the values of those
    /// distinguish the objects.
    pub(in super::super) const fn starts(
        &self,
        is_same: bool,
        differ: bool,
    ) -> Option<LowerErrorCode> {
        if self.first_keys && is_same && !differ {
            Some(LowerErrorCode::UnionFirstKey)
        } else {
            None
        }
    }
}
