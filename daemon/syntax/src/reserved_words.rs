//! The words of each language that cannot be names. Words that are special only in some places, such as `union`, can be.

use crate::grammar::Grammar;

/// Whether a word cannot be a name in this language.
pub fn is_reserved(grammar: &Grammar, word: &str) -> bool {
    let words = RESERVED.iter().find(|(grammars, _)| grammars.contains(&grammar.name));
    words.is_some_and(|(_, words)| words.split_whitespace().any(|reserved| reserved == word))
}

const RESERVED: &[(&[&str], &str)] = &[
    (&["bash"], "if then else elif fi case esac for select while until do done in function time"),
    (
        &["c"],
        "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict \
         return short signed sizeof static struct switch typedef union unsigned void volatile while",
    ),
    (
        &["cpp"],
        "alignas alignof and asm auto bool break case catch char class co_await co_return co_yield concept const consteval constexpr \
         constinit const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float \
         for friend goto if inline int long mutable namespace new noexcept not nullptr operator or private protected public register \
         reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this \
         thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor",
    ),
    (
        &["c-sharp"],
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum \
         event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long \
         namespace new null object operator out override params private protected public readonly ref return sbyte sealed short \
         sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual \
         void volatile while",
    ),
    (
        &["go"],
        "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return \
         select struct switch type var",
    ),
    (
        &["java"],
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends false final \
         finally float for goto if implements import instanceof int interface long native new null package private protected public \
         return short static strictfp super switch synchronized this throw throws transient true try void volatile while _",
    ),
    (
        &["javascript", "typescript", "tsx"],
        "await break case catch class const continue debugger default delete do else enum export extends false finally for function \
         if implements import in instanceof interface let new null package private protected public return static super switch this \
         throw true try typeof var void while with yield",
    ),
    (
        &["lua"],
        "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
    ),
    (
        &["php"],
        "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty \
         enddeclare endfor endforeach endif endswitch endwhile eval exit extends final finally fn for foreach function global goto if \
         implements include instanceof insteadof interface isset list match namespace new or print private protected public readonly \
         require return static switch throw trait try unset use var while xor yield",
    ),
    (
        &["python"],
        "False None True and as assert async await break class continue def del elif else except finally for from global if import in \
         is lambda nonlocal not or pass raise return try while with yield",
    ),
    (
        &["ruby"],
        "BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo \
         rescue retry return self super then true undef unless until when while yield",
    ),
    (
        &["rust"],
        "abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let \
         loop macro match mod move mut override priv pub ref return self Self static struct super trait true try type typeof unsafe \
         unsized use virtual where while yield",
    ),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::grammar::grammar_for;

    #[test]
    fn keywords_are_reserved_and_words_that_are_special_in_places_are_not() {
        for (file, reserved, free) in [
            ("a.rs", "struct", "union"),
            ("a.py", "class", "match"),
            ("a.ts", "class", "type"),
            ("a.js", "function", "of"),
            ("a.go", "func", "len"),
            ("a.c", "struct", "class"),
            ("a.h", "class", "final"),
            ("A.java", "class", "record"),
            ("a.cs", "class", "value"),
            ("a.lua", "end", "self"),
            ("a.rb", "def", "raise"),
            ("a.php", "function", "string"),
            ("a.sh", "then", "echo"),
        ] {
            // A build may leave out grammars.
            let Some(grammar) = grammar_for(Path::new(file)) else { continue };
            assert!(is_reserved(grammar, reserved), "{file}: {reserved}");
            assert!(!is_reserved(grammar, free), "{file}: {free}");
        }
    }
}
