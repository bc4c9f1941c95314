//! What requests used and cost, from the parts that end them.
//!
//! Parts are read from the newest on until they are too old, so what is older costs nothing. A part that is older than its session was
//! copied with a fork and does not count again. Days are those of UTC.

use std::collections::{BTreeMap, HashMap, HashSet};

use copydesk_model::TokenUsage;
use rusqlite::{Connection, params};
use serde::Deserialize;

use super::{Store, StoreError};
use crate::data::PartContent;
use crate::id::Id;

const DAY_MS: u64 = 86_400_000;
/// The clock may have gone back: parts are looked at that are older by so much.
const CLOCK_MARGIN_MS: u64 = DAY_MS;
/// The kinds of parts that have costs. The tag comes first in their JSON, so the rest is not parsed.
const HAS_COST: &str = r#"(content GLOB '{"kind":"step_finish"*' OR content GLOB '{"kind":"compaction"*')"#;
const IS_START: &str = r#"content GLOB '{"kind":"step_start"*'"#;

/// The requests of one day to one model in one folder.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageRecord {
    /// Days since 1970.
    pub day: u64,
    /// `PROVIDER/MODEL`; empty if a session does not say.
    pub model: String,
    pub folder: String,
    pub requests: u64,
    pub usage: TokenUsage,
    /// US dollars, of the requests whose price is known.
    pub cost: f64,
    /// How many had no price.
    pub unpriced: u64,
}

/// What a session with its subagents, and all sessions of the day, have cost in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct CostTotals {
    pub(crate) session: f64,
    pub(crate) day: f64,
    /// The day that counts, in days since 1970.
    day_number: u64,
    /// The last part that is counted.
    last: i64,
}

struct EndedRequest {
    created: u64,
    folder: String,
    usage: TokenUsage,
    cost: Option<f64>,
}

/// The part of a row that counts.
#[derive(Deserialize)]
struct CostField {
    cost: Option<f64>,
}

impl Store {
    /// The usage of all sessions, subagents included, since this time.
    pub async fn usage_since(&self, since: u64) -> Result<Vec<UsageRecord>, StoreError> {
        self.run_job(move |connection| read_usage(connection, since)).await
    }

    /// Adds what came since the totals were made. `session` is the session or one of its subagents.
    pub(crate) async fn add_costs(
        &self,
        totals: CostTotals,
        session: &Id,
        now: u64,
    ) -> Result<CostTotals, StoreError> {
        let session = session.clone();
        self.run_job(move |connection| add_costs(connection, totals, &session, now)).await
    }
}

fn read_usage(connection: &Connection, since: u64) -> Result<Vec<UsageRecord>, StoreError> {
    let query = format!(
        "SELECT part.session, part.turn, part.step, part.created, part.content, session.folder, session.created
         FROM part JOIN session ON session.id = part.session
         WHERE {HAS_COST} OR {IS_START} ORDER BY part.number DESC"
    );
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query([])?;
    let mut records = UsageTable::default();
    // Requests whose model stands in an earlier part.
    let mut ended: HashMap<(String, u32, u32), EndedRequest> = HashMap::new();
    while let Some(row) = rows.next()? {
        let created: u64 = row.get(3)?;
        if created.saturating_add(CLOCK_MARGIN_MS) < since {
            break;
        }
        if created < since || created < row.get::<_, u64>(6)? {
            continue;
        }
        let step = (row.get(0)?, row.get(1)?, row.get(2)?);
        let folder: String = row.get(5)?;
        match serde_json::from_str(&row.get::<_, String>(4)?)? {
            PartContent::StepFinish(finish) => {
                let (usage, cost) = (finish.usage, finish.cost);
                ended.insert(step, EndedRequest { created, folder, usage, cost });
            }
            PartContent::StepStart { model } => {
                if let Some(request) = ended.remove(&step) {
                    records.add(model, request);
                }
            }
            PartContent::Compaction(compaction) => {
                if let Some(model) = compaction.model {
                    let (usage, cost) = (compaction.usage, compaction.cost);
                    records.add(model, EndedRequest { created, folder, usage, cost });
                }
            }
            _ => {}
        }
    }
    for request in ended.into_values() {
        records.add(String::new(), request);
    }
    Ok(records.0.into_values().collect())
}

#[derive(Default)]
struct UsageTable(BTreeMap<(u64, String, String), UsageRecord>);

impl UsageTable {
    fn add(&mut self, model: String, request: EndedRequest) {
        let EndedRequest { created, folder, usage, cost } = request;
        let day = created / DAY_MS;
        let record = self.0.entry((day, model.clone(), folder.clone())).or_insert_with(|| UsageRecord {
            day,
            model,
            folder,
            requests: 0,
            usage: TokenUsage::default(),
            cost: 0.0,
            unpriced: 0,
        });
        record.requests += 1;
        record.cost += cost.unwrap_or_default();
        record.unpriced += u64::from(cost.is_none());
        let sum = &mut record.usage;
        for (sum, more) in [
            (&mut sum.input, usage.input),
            (&mut sum.output, usage.output),
            (&mut sum.reasoning, usage.reasoning),
            (&mut sum.cache_read, usage.cache_read),
            (&mut sum.cache_write, usage.cache_write),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

fn add_costs(
    connection: &Connection,
    totals: CostTotals,
    session: &Id,
    now: u64,
) -> Result<CostTotals, StoreError> {
    let family = family_of(connection, session)?;
    let day_number = now / DAY_MS;
    let begin = day_number * DAY_MS;
    let last = connection.query_row("SELECT coalesce(max(number), 0) FROM part", [], |row| row.get(0))?;
    let mut new = CostTotals { last, day_number, ..totals };
    let is_first = totals.last == 0;
    if is_first {
        new.session = 0.0;
        for id in &family {
            new.session += cost_of_session(connection, id)?;
        }
    }
    let is_new_day = is_first || totals.day_number != day_number;
    if is_new_day {
        new.day = 0.0;
    }
    let after = if is_new_day { 0 } else { totals.last };
    let query = format!(
        "SELECT part.number, part.session, part.created, part.content, session.created
         FROM part JOIN session ON session.id = part.session
         WHERE part.number > ?1 AND part.number <= ?2 AND {HAS_COST} ORDER BY part.number DESC"
    );
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query(params![after, last])?;
    while let Some(row) = rows.next()? {
        let (number, created): (i64, u64) = (row.get(0)?, row.get(2)?);
        let is_counted = number <= totals.last;
        if (is_first || is_counted) && created.saturating_add(CLOCK_MARGIN_MS) < begin {
            break;
        }
        if created < row.get::<_, u64>(4)? {
            continue;
        }
        let cost = cost_in(&row.get::<_, String>(3)?)?;
        if created >= begin {
            new.day += cost;
        }
        if !is_first && !is_counted && family.contains(&row.get::<_, String>(1)?) {
            new.session += cost;
        }
    }
    Ok(new)
}

/// The session at the top, and all below it.
fn family_of(connection: &Connection, session: &Id) -> Result<HashSet<String>, StoreError> {
    let mut statement = connection.prepare_cached(
        "WITH RECURSIVE
             above (id, parent) AS (
                 SELECT id, parent FROM session WHERE id = ?1
                 UNION SELECT session.id, session.parent FROM session JOIN above ON session.id = above.parent
             ),
             family (id) AS (
                 SELECT id FROM above WHERE parent IS NULL
                 UNION SELECT session.id FROM session JOIN family ON session.parent = family.id
             )
         SELECT id FROM family",
    )?;
    let ids = statement.query_map([session.as_str()], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn cost_of_session(connection: &Connection, session: &str) -> Result<f64, StoreError> {
    let query = format!(
        "SELECT content FROM part WHERE session = ?1 AND {HAS_COST}
         AND created >= (SELECT created FROM session WHERE id = ?1)"
    );
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query([session])?;
    let mut sum = 0.0;
    while let Some(row) = rows.next()? {
        sum += cost_in(&row.get::<_, String>(0)?)?;
    }
    Ok(sum)
}

fn cost_in(content: &str) -> Result<f64, StoreError> {
    let field: CostField = serde_json::from_str(content)?;
    Ok(field.cost.filter(|cost| cost.is_finite()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use copydesk_model::FinishReason;

    use super::super::tests::{open, part, session};
    use super::*;
    use crate::data::{Part, PartState, Session, StepFinishPart};

    const TODAY: u64 = 20_000 * DAY_MS;

    /// A request that ended then, and what it cost.
    fn request(session: &Session, model: &str, created: u64, cost: f64) -> Vec<Part> {
        let usage = TokenUsage { input: 100, output: 10, ..TokenUsage::default() };
        let finish = StepFinishPart { stop: FinishReason::End, usage, cost: Some(cost), context: None };
        let step = u32::try_from(created % 1_000).unwrap();
        [PartContent::StepStart { model: model.into() }, PartContent::StepFinish(finish)]
            .map(|content| Part { created, step, ..part(session, PartState::Completed, content) })
            .to_vec()
    }

    fn begun(created: u64) -> Session {
        Session { created, ..session("/work") }
    }

    #[tokio::test]
    async fn usage_is_summed_by_day_model_and_folder() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let one = begun(TODAY - 5 * DAY_MS);
        store.put_session(one.clone()).await.unwrap();
        for (model, created, cost) in [
            ("p/a", TODAY - 4 * DAY_MS, 8.0),
            ("p/a", TODAY - DAY_MS, 1.0),
            ("p/a", TODAY, 2.0),
            ("p/b", TODAY + 1, 4.0),
            ("p/a", TODAY + 2, 0.5),
        ] {
            store.put_parts(request(&one, model, created, cost)).await.unwrap();
        }
        let used = store.usage_since(TODAY - DAY_MS).await.unwrap();
        let rows: Vec<_> = used
            .iter()
            .map(|record| {
                (record.day, record.model.as_str(), record.requests, record.usage.input, record.cost)
            })
            .collect();
        assert_eq!(
            rows,
            [(19_999, "p/a", 1, 100, 1.0), (20_000, "p/a", 2, 200, 2.5), (20_000, "p/b", 1, 100, 4.0)]
        );
    }

    #[tokio::test]
    async fn totals_have_subagents_and_no_copies() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let top = begun(TODAY - 2 * DAY_MS);
        let below = Session { parent: Some(top.id.clone()), ..begun(TODAY - 2 * DAY_MS) };
        let other = begun(TODAY);
        for session in [&top, &below, &other] {
            store.put_session(session.clone()).await.unwrap();
        }
        for (session, created, cost) in [
            (&top, TODAY - DAY_MS, 1.0),
            (&below, TODAY + 1, 2.0),
            (&other, TODAY + 2, 4.0),
            (&other, TODAY - 9, 50.0),
        ] {
            store.put_parts(request(session, "p/m", created, cost)).await.unwrap();
        }
        let now = TODAY + 1_000;
        let totals = store.add_costs(CostTotals::default(), &below.id, now).await.unwrap();
        assert_eq!((totals.session, totals.day), (3.0, 6.0));
        store.put_parts(request(&top, "p/m", TODAY + 3, 0.5)).await.unwrap();
        store.put_parts(request(&other, "p/m", TODAY + 4, 0.25)).await.unwrap();
        let totals = store.add_costs(totals, &top.id, now).await.unwrap();
        assert_eq!((totals.session, totals.day), (3.5, 6.75));
        // The next day begins with nothing.
        let totals = store.add_costs(totals, &top.id, now + DAY_MS).await.unwrap();
        assert_eq!((totals.session, totals.day), (3.5, 0.0));
    }
}
