//! Sequences of asks and replies: how one reply affects the other asks.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{RuleLines, cases, rules};
use crate::{AlwaysScope, Ask, AskOutcome, AskReply, PendingAsks, PermissionDecision, RuleLayers};

#[derive(Deserialize)]
pub(super) struct AskFlow {
    id: String,
    steps: Vec<AskFlowStep>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AskFlowStep {
    Ask {
        ask: String,
        #[serde(default)]
        session: String,
        key: String,
        patterns: Vec<String>,
        always: Vec<String>,
        rules: Option<RuleLines>,
        result: String,
    },
    Reply {
        reply: String,
        with: String,
        reason: Option<String>,
        #[serde(default)]
        unknown: bool,
    },
    Remembered {
        remembered: RuleLines,
    },
    Close {
        close: bool,
    },
    Outcome {
        outcome: BTreeMap<String, String>,
    },
    Open {
        open: BTreeMap<String, Vec<String>>,
    },
    Agent {
        agent: Option<String>,
    },
}

/// Skips two cases that are not about one session's asks: 004 (another session remembers too) and 013 (an
/// unknown agent). In 014 upstream's first generation lets a reply overrule a denial; its second generation
/// and we do not.
#[test]
fn flows() {
    let cases = cases().flows;
    let (ours, left): (Vec<_>, Vec<_>) =
        cases.iter().partition(|flow| !matches!(flow.id.as_str(), "perm-flow-004" | "perm-flow-013"));
    for flow in &ours {
        let mut sessions = AskFlowSessions::default();
        for step in &flow.steps {
            sessions.step(&flow.id, step);
        }
    }
    assert_eq!((ours.len(), left.len()), (12, 2));
}

#[derive(Default)]
struct AskFlowSessions {
    asks: BTreeMap<String, PendingAsks<String>>,
    outcomes: BTreeMap<String, String>,
}

impl AskFlowSessions {
    fn step(&mut self, flow: &str, step: &AskFlowStep) {
        match step {
            AskFlowStep::Ask { ask, session, key, patterns, always, rules: lines, result } => {
                let asks = self.session(session);
                asks.layers_mut().set_rules([rules(lines.as_ref().unwrap())]);
                let wanted = Ask {
                    key: key.clone(),
                    patterns: patterns.clone(),
                    always_patterns: always.clone(),
                    ..Ask::default()
                };
                let decision = match asks.ask(ask.clone(), &wanted) {
                    PermissionDecision::Allow => "allowed",
                    PermissionDecision::Ask(_) => "pending",
                    PermissionDecision::Deny(_) => "denied",
                };
                assert_eq!(decision, result, "{flow}");
                self.outcomes.insert(ask.clone(), decision.to_owned());
            }
            AskFlowStep::Reply { reply, with, reason, unknown } => {
                let holds =
                    |asks: &&mut PendingAsks<String>| asks.pending().iter().any(|(id, _)| id == reply);
                let mut nobody = PendingAsks::new(RuleLayers::default());
                let asks = self.asks.values_mut().find(holds).unwrap_or(&mut nobody);
                let given = match with.as_str() {
                    "once" => AskReply::Once,
                    "always" => AskReply::Always { scope: AlwaysScope::Session, patterns: None },
                    _ => AskReply::Reject { reason: reason.clone() },
                };
                let settled = asks.reply(reply, given);
                assert_eq!(settled.is_err(), *unknown, "{flow}");
                self.settle(settled.unwrap_or_default());
            }
            AskFlowStep::Remembered { remembered } => {
                for (key, pattern, _) in remembered {
                    self.session("").layers_mut().remember(key, pattern);
                }
            }
            AskFlowStep::Close { close } => {
                let settled = self.asks.values_mut().flat_map(PendingAsks::reject_all).collect::<Vec<_>>();
                assert!(*close && !settled.is_empty(), "{flow}");
                self.settle(settled);
            }
            AskFlowStep::Outcome { outcome } => assert_eq!(&self.outcomes, outcome, "{flow}"),
            AskFlowStep::Open { open } => {
                for (session, ids) in open {
                    let ours: Vec<_> = self.asks[session].pending().iter().map(|(id, _)| id).collect();
                    assert_eq!(ours, ids.iter().collect::<Vec<_>>(), "{flow}");
                }
            }
            AskFlowStep::Agent { agent } => panic!("{flow}: there are no agents here: {agent:?}"),
        }
    }

    fn session(&mut self, name: &str) -> &mut PendingAsks<String> {
        self.asks.entry(name.to_owned()).or_insert_with(|| PendingAsks::new(RuleLayers::default()))
    }

    fn settle(&mut self, settled: Vec<(String, AskOutcome)>) {
        self.outcomes.extend(settled.into_iter().map(|(id, outcome)| match outcome {
            AskOutcome::Allowed => (id, "allowed".to_owned()),
            AskOutcome::Unattended => (id, "unasked".to_owned()),
            AskOutcome::Rejected { reason: None } => (id, "rejected".to_owned()),
            AskOutcome::Rejected { reason: Some(reason) } => (id, format!("corrected:{reason}")),
        }));
    }
}
