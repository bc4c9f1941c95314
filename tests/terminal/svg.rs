//! Draws a screen as a picture: text stays text, so that it is small, sharp and searchable.
//!
//! The window has its own dark background and is readable on light and dark pages. Each run of one style has a fixed width,
//! so that columns stay aligned in any font.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

const CELL: (f32, f32) = (8.4, 19.0);
const MARGIN: f32 = 18.0;

const STYLE: &str = "text{font:14px ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d8dee4;\
                     white-space:pre}.b{font-weight:bold}.d{fill:#8b96a3}.r{fill:#ff8178}.g{fill:#63d471}.y{fill:#e3b341}";

pub(crate) fn draw(screen: &Screen) -> String {
    let columns = screen.size().1.get();
    let mut lines = String::new();
    let mut last = 0;
    for row in 0..screen.size().0.get() {
        let top = MARGIN + f32::from(row) * CELL.1;
        for (column, count, colour) in grounds(screen, row, columns) {
            last = row;
            let (x, width) = (MARGIN + f32::from(column) * CELL.0, f32::from(count) * CELL.0);
            let size = format!("width=\"{width:.1}\" height=\"{}\"", CELL.1);
            writeln!(lines, "<rect x=\"{x:.1}\" y=\"{top:.0}\" {size} fill=\"{colour}\"/>").unwrap();
        }
        for (column, text, style) in runs(screen, row, columns) {
            last = row;
            let (x, y) = (MARGIN + f32::from(column) * CELL.0, top + 14.0);
            let width = text.chars().count() as f32 * CELL.0;
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            writeln!(lines, "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{width:.1}\"{style}>{text}</text>")
                .unwrap();
        }
    }
    let width = 2.0 * MARGIN + f32::from(columns) * CELL.0;
    let height = 2.0 * MARGIN + f32::from(last + 1) * CELL.1;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\">\n\
         <style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#171b21\"/>\n{lines}</svg>\n"
    )
}

/// Column, width and colour of cells with their own background.
fn grounds(screen: &Screen, row: u16, columns: u16) -> Vec<(u16, u16, String)> {
    let mut grounds: Vec<(u16, u16, String)> = Vec::new();
    for column in 0..columns {
        let cell = screen.cell(row, column).unwrap();
        let ground = if cell.inverse() { cell.fgcolor() } else { cell.bgcolor() };
        let Some(colour) = hex(ground).or_else(|| cell.inverse().then(|| "#d8dee4".to_owned())) else {
            continue;
        };
        match grounds.last_mut() {
            Some((first, count, known)) if *known == colour && *first + *count == column => *count += 1,
            _ => grounds.push((column, 1, colour)),
        }
    }
    grounds
}

fn hex(colour: Color) -> Option<String> {
    match colour {
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        _ => None,
    }
}

/// Column, text and style of the runs in a row.
fn runs(screen: &Screen, row: u16, columns: u16) -> Vec<(u16, String, String)> {
    let mut runs: Vec<(u16, String, String)> = Vec::new();
    let mut gap = true;
    for column in 0..columns {
        let cell = screen.cell(row, column).unwrap();
        let text = cell.contents();
        if text.trim().is_empty() {
            // One space joins words; more begin a new run.
            gap = gap || runs.last().is_none_or(|(_, text, _)| text.ends_with(' '));
            if let Some((_, text, _)) = runs.last_mut().filter(|_| !gap) {
                text.push(' ');
            }
            continue;
        }
        let style = style(cell);
        match runs.last_mut() {
            Some((_, run, known)) if !gap && *known == style => run.push_str(text),
            _ => runs.push((column, text.to_owned(), style)),
        }
        gap = false;
    }
    for (_, text, _) in &mut runs {
        text.truncate(text.trim_end().len());
    }
    runs
}

/// The attributes of a text.
fn style(cell: &Cell) -> String {
    let colour = match cell.fgcolor() {
        Color::Idx(1) => "r",
        Color::Idx(2) => "g",
        Color::Idx(3) => "y",
        _ if cell.dim() => "d",
        _ => "",
    };
    let class = [if cell.bold() { "b" } else { "" }, colour].join(" ").trim().to_owned();
    let fill = match hex(if cell.inverse() { cell.bgcolor() } else { cell.fgcolor() }) {
        None if cell.inverse() => Some("#171b21".to_owned()),
        fill => fill,
    };
    let class = if class.is_empty() { class } else { format!(" class=\"{class}\"") };
    fill.map_or(class.clone(), |fill| format!("{class} style=\"fill:{fill}\""))
}
