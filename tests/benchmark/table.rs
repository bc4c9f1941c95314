//! The printed table: measurement, result, budget.

use std::time::Duration;

#[derive(Debug)]
pub(crate) struct BenchmarkTable {
    filter: Option<String>,
    rows: Vec<BenchmarkRow>,
    remarks: Vec<String>,
}

#[derive(Debug)]
struct BenchmarkRow {
    name: String,
    value: String,
    budget: String,
    note: String,
}

impl BenchmarkTable {
    pub(crate) fn new(filter: Option<String>) -> Self {
        Self { filter, rows: Vec::new(), remarks: Vec::new() }
    }

    pub(crate) fn includes_row(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()))
    }

    /// The median of the samples beside its budget.
    pub(crate) fn row(
        &mut self,
        name: &str,
        mut samples: Vec<Duration>,
        budget: Option<Duration>,
        note: String,
    ) {
        samples.sort_unstable();
        let median = samples[samples.len() / 2];
        let budget = budget.map_or(String::new(), |budget| {
            let verdict = if median <= budget { "ok" } else { "OVER" };
            format!("{} {verdict}", milliseconds(budget))
        });
        self.rows.push(BenchmarkRow { name: name.to_owned(), value: milliseconds(median), budget, note });
    }

    pub(crate) fn remark(&mut self, text: &str) {
        self.remarks.push(text.to_owned());
    }

    pub(crate) fn print(&self) {
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        println!("{:width$}  {:>10}  {:>14}  ", "measured", "median ms", "budget ms");
        for BenchmarkRow { name, value, budget, note } in &self.rows {
            println!("{name:width$}  {value:>10}  {budget:>14}  {note}");
        }
        self.remarks.iter().for_each(|remark| println!("{remark}"));
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}
