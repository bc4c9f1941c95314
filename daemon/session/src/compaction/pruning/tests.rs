use proptest::prelude::*;

use super::*;
use crate::compaction::sample_parts::SampleSession;

const BUDGET: ContextBudget = ContextBudget { window: 200_000, limit: 160_000 };

fn counted(session: &SampleSession) -> Vec<PartTokens> {
    session.parts.iter().map(|part| PartTokens::of(part)).collect()
}

/// Each line is a step with a call: `tool {arguments} words`. Two turns follow, so that all of it is old. The output: the calls that
/// may go, `!` for a superseded one.
#[track_caller]
fn check_old(script: &str, expected: &str) {
    let mut session = SampleSession::default();
    session.prompt("Begin");
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        session.step();
        let (tool, rest) = line.split_once(' ').unwrap();
        let (arguments, tokens) = rest.rsplit_once(' ').unwrap();
        session.call(tool, arguments, &"word ".repeat(tokens.parse().unwrap()));
        session.finish(0, 0);
    }
    for _ in 0..KEPT_TURNS {
        session.prompt("And?");
        session.step();
        session.text("So.");
    }
    let small = ContextBudget { window: 700, limit: 600 };
    let old = old_outputs(&session.parts, &counted(&session), 0, small);
    let name = |output: &OldOutput| {
        let PartContent::Call(call) = &session.parts[output.at].content else { panic!("no call") };
        let mark = if output.is_superseded { "!" } else { "" };
        format!("{mark}{} {}", call.name, call.arguments)
    };
    assert_eq!(old.iter().map(name).collect::<Vec<_>>().join("\n"), expected);
}

#[test]
fn what_was_replaced_since_is_superseded() {
    // Read again, in the same lines or as a whole.
    check_old(
        r#"
        read {"filePath":"a"} 500
        read {"filePath":"b","offset":9} 500
        read {"filePath":"a"} 500
        read {"filePath":"b"} 500
        "#,
        "!read {\"filePath\":\"a\"}\n!read {\"filePath\":\"b\",\"offset\":9}\nread {\"filePath\":\"a\"}\nread {\"filePath\":\"b\"}",
    );
    // Other lines are other content.
    check_old(
        r#"
        read {"filePath":"a","offset":9} 500
        read {"filePath":"a","offset":90} 500
        "#,
        "read {\"filePath\":\"a\",\"offset\":9}\nread {\"filePath\":\"a\",\"offset\":90}",
    );
    // Changed by an edit or a patch.
    check_old(
        r#"
        read {"filePath":"a"} 500
        read {"filePath":"b"} 500
        edit {"filePath":"a"} 5
        apply_patch {"patchText":"*** Update File: b\n"} 5
        "#,
        "!read {\"filePath\":\"a\"}\n!read {\"filePath\":\"b\"}",
    );
    // A search or a command that was repeated.
    check_old(
        r#"
        grep {"pattern":"x"} 500
        bash {"command":"make"} 500
        grep {"pattern":"y"} 500
        bash {"command":"make"} 500
        "#,
        "grep {\"pattern\":\"x\"}\n!bash {\"command\":\"make\"}\ngrep {\"pattern\":\"y\"}\nbash {\"command\":\"make\"}",
    );
}

#[test]
fn short_outputs_and_instructions_stay() {
    check_old(
        r#"
        bash {"command":"true"} 50
        skill {"name":"x"} 900
        task {"prompt":"x"} 900
        "#,
        "",
    );
}

/// The chosen outputs, by their tokens: old ones of 40k, 10k (superseded) and 5k.
#[track_caller]
fn check_choice(used: u64, window: u64, cache: PromptCache, expected: &[u64]) {
    let output = |at, tokens, is_superseded| OldOutput { at, tokens, is_superseded };
    let old = vec![output(1, 40_000, false), output(2, 10_000, true), output(3, 5_000, false)];
    let budget = ContextBudget { window, limit: window * 4 / 5 };
    let situation = PruningSituation { used, budget, cache };
    let chosen = choose_outputs(old, situation, |_| used);
    assert_eq!(chosen.iter().map(|output| output.tokens).collect::<Vec<_>>(), expected);
}

#[test]
fn outputs_go_when_that_pays() {
    const WARM: PromptCache = PromptCache::Warm { read: 0.1, write: 1.25 };
    const NO_CACHE: PromptCache = PromptCache::Warm { read: 1.0, write: 1.0 };
    const ALL: &[u64] = &[40_000, 10_000, 5_000];
    // With a warm cache 55k of 200k are too few, unless the window is smaller. Cheaper reads save less.
    check_choice(100_000, 200_000, WARM, &[]);
    check_choice(80_000, 180_000, WARM, ALL);
    check_choice(140_000, 180_000, WARM, ALL);
    check_choice(140_000, 180_000, PromptCache::Warm { read: 0.05, write: 1.25 }, &[]);
    // With a cold one the superseded are enough.
    check_choice(100_000, 200_000, PromptCache::Cold, &[10_000]);
    check_choice(100_000, 200_000, NO_CACHE, &[10_000]);
    // Beyond the limit: if it helps.
    check_choice(165_000, 200_000, WARM, ALL);
    check_choice(170_000, 200_000, WARM, ALL);
    check_choice(180_000, 200_000, PromptCache::Cold, &[]);
}

fn sessions() -> impl Strategy<Value = SampleSession> {
    let step = prop::collection::vec((0..4_usize, 0..2_000_usize), 0..3);
    let turn = prop::collection::vec(step, 0..20);
    prop::collection::vec(turn, 1..8).prop_map(|turns| {
        let mut session = SampleSession::default();
        for steps in turns {
            session.prompt("Go on");
            for calls in steps {
                session.step();
                for (file, words) in calls {
                    session.call("read", &format!("{{\"filePath\":\"{file}\"}}"), &"word ".repeat(words));
                }
                session.finish(0, 0);
            }
        }
        session
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_of_the_last_turns_goes(session in sessions()) {
        let counted = counted(&session);
        let old = old_outputs(&session.parts, &counted, 0, BUDGET);
        let places = |is_wanted: fn(&PartContent) -> bool| {
            let found = session.parts.iter().enumerate().rev();
            found.filter(move |(_, part)| is_wanted(&part.content)).map(|(at, _)| at)
        };
        let turn = places(|content| matches!(content, PartContent::Prompt(_))).nth(KEPT_TURNS - 1);
        let step = places(|content| matches!(content, PartContent::StepStart { .. })).nth(MAX_KEPT_STEPS - 1);
        let protected = turn.unwrap_or_default().max(step.unwrap_or_default());
        prop_assert!(old.iter().all(|output| output.at < protected), "{old:?}, {protected}");
        // Nor of the newest tokens.
        for output in &old {
            let behind: u64 = counted[output.at..].iter().map(|tokens| tokens.total()).sum();
            prop_assert!(behind > BUDGET.tail());
        }
        let used = counted.iter().map(|tokens| tokens.total()).sum();
        let situation = PruningSituation { used, budget: BUDGET, cache: PromptCache::Cold };
        let chosen = choose_outputs(old.clone(), situation, |at| counted[at..].iter().map(|tokens| tokens.total()).sum());
        prop_assert!(chosen.iter().all(|output| old.contains(output)));
    }
}
