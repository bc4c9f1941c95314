//! `copydesk usage`: what requests used and cost, by day, model and project.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use copydesk_host::setup::UserSetup;
use copydesk_session::{ReadOnlyStore, UsageRecord, now};
use serde::Serialize;

use crate::args::UsageArgs;
use crate::terminal::{self, BOLD, DIM, print, styled};

const DAY_MS: u64 = 86_400_000;

/// The sum of some requests.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct UsageSum {
    /// A day, a model or a folder.
    name: String,
    requests: u64,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    /// US dollars, of the requests whose price is known.
    cost: f64,
    /// How many requests have no price.
    unpriced: u64,
}

#[derive(Debug, Serialize)]
struct UsageReport {
    days: Vec<UsageSum>,
    models: Vec<UsageSum>,
    projects: Vec<UsageSum>,
    total: UsageSum,
}

pub(crate) fn run(setup: &UserSetup, options: &UsageArgs) -> anyhow::Result<()> {
    let (store, opened) = ReadOnlyStore::open(&setup.paths.data_dir)?;
    if let Some(what) = opened.describe() {
        terminal::warn(format_args!("{what}"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let records = runtime.block_on(store.usage_since(first_moment(now(), options.days)))?;
    let report = UsageReport::of(&records);
    if options.json {
        return terminal::print_json(&report);
    }
    if report.total.requests == 0 {
        return Ok(print(format!("No requests in the last {} days.", options.days))?);
    }
    for (title, sums) in [("Day", &report.days), ("Model", &report.models), ("Project", &report.projects)] {
        show(title, sums)?;
        print("")?;
    }
    show("Total", std::slice::from_ref(&report.total))
}

/// In milliseconds since 1970, midnight of UTC.
fn first_moment(now: u64, days: u32) -> u64 {
    (now / DAY_MS + 1).saturating_sub(u64::from(days)) * DAY_MS
}

/// `2026-11-19`
fn date(day: u64) -> String {
    let moment = UNIX_EPOCH.checked_add(Duration::from_millis(day.saturating_mul(DAY_MS)));
    let Some(moment) = moment else { return day.to_string() };
    // `Thu, 19 Nov 2026 00:00:00 GMT`
    let text = httpdate::fmt_http_date(moment);
    let words: Vec<_> = text.split(' ').collect();
    let [_, number, name, year, ..] = words.as_slice() else { return text };
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = names.iter().position(|other| other == name).unwrap_or_default() + 1;
    format!("{year}-{month:02}-{number}")
}

impl UsageReport {
    fn of(records: &[UsageRecord]) -> Self {
        let mut total = UsageSum { name: "all".to_owned(), ..UsageSum::default() };
        records.iter().for_each(|record| total.add(record));
        let mut days = grouped(records, |record| date(record.day));
        days.reverse();
        let unknown = |name: &str| if name.is_empty() { "unknown".to_owned() } else { name.to_owned() };
        let mut models = grouped(records, |record| unknown(&record.model));
        let mut projects = grouped(records, |record| unknown(&record.folder));
        for sums in [&mut models, &mut projects] {
            sums.sort_by(|one, other| other.cost.total_cmp(&one.cost).then(other.input.cmp(&one.input)));
        }
        Self { days, models, projects, total }
    }
}

fn grouped(records: &[UsageRecord], name: impl Fn(&UsageRecord) -> String) -> Vec<UsageSum> {
    let mut sums: BTreeMap<String, UsageSum> = BTreeMap::new();
    for record in records {
        let name = name(record);
        sums.entry(name.clone()).or_insert_with(|| UsageSum { name, ..UsageSum::default() }).add(record);
    }
    sums.into_values().collect()
}

impl UsageSum {
    fn add(&mut self, record: &UsageRecord) {
        self.requests += record.requests;
        self.input += record.usage.input;
        self.output += record.usage.output;
        self.cache_read += record.usage.cache_read;
        self.cache_write += record.usage.cache_write;
        self.cost += record.cost;
        self.unpriced += record.unpriced;
    }
}

fn show(title: &str, sums: &[UsageSum]) -> anyhow::Result<()> {
    let names = sums.iter().map(|sum| sum.name.chars().count());
    let width = names.chain([title.len()]).max().unwrap_or_default();
    print(styled(
        BOLD,
        format!(
            "{title:width$}  {:>8}  {:>11}  {:>11}  {:>11}  {:>10}",
            "requests", "input", "cached", "output", "cost"
        ),
    ))?;
    for sum in sums {
        let cached = sum.cache_read + sum.cache_write;
        let cost =
            if sum.unpriced == sum.requests { "no price".to_owned() } else { format!("${:.2}", sum.cost) };
        let mut line = format!(
            "{:width$}  {:>8}  {:>11}  {cached:>11}  {:>11}  {cost:>10}",
            sum.name, sum.requests, sum.input, sum.output
        );
        if sum.unpriced > 0 && sum.unpriced < sum.requests {
            line += &styled(DIM, format!("  without {} that have no price", sum.unpriced));
        }
        print(line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_names() {
        assert_eq!(date(20_776), "2026-11-19");
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(first_moment(20_776 * 86_400_000 + 5, 1), 20_776 * 86_400_000);
        assert_eq!(first_moment(5, 30), 0);
    }
}
