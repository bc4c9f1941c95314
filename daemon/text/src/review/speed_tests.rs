//! Measures a keystroke. Prints, asserts nothing: `cargo test --release -p copydesk-text -- --ignored
//! --nocapture speed`.

use std::time::{Duration, Instant};

use super::Review;
use crate::{Change, Edit};

/// A text, and a review of it with this many agent lines.
fn review(lines: usize, hunks: usize) -> Review {
    let line = |number: usize| format!("    let value_{number} = compute({number}); // some words\n");
    let base: String = (0..lines).map(line).collect();
    let every = lines / hunks;
    let text = (0..lines).map(|number| line(number + if number % every == 1 { lines } else { 0 }));
    let mut review = Review::new(&base);
    review.record_agent_change(&Change::between(&base, &text.collect::<String>()), "call").unwrap();
    assert_eq!(review.hunks().len(), hunks);
    review
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed(count: usize, mut act: impl FnMut(usize)) -> Duration {
    let time = |number| {
        let start = Instant::now();
        act(number);
        start.elapsed()
    };
    median((0..count).map(time).collect())
}

fn typed(review: &mut Review, at: usize) {
    let edit = Edit { range: at..at, text: "x".into() };
    review.record_user_change(&Change::from_edits(vec![edit])).unwrap();
}

#[test]
#[ignore = "prints figures of this machine"]
fn speed_of_a_keystroke_and_of_decisions() {
    for (lines, hunks) in [(100_000, 1000), (200_000, 50_000)] {
        let made = Instant::now();
        let mut review = review(lines, hunks);
        println!("{lines} lines, {hunks} hunks: made in {:?}", made.elapsed());
        let place = |review: &Review, number: usize| review.hunks()[number * 7 % hunks].text.clone();
        let within = timed(200, |number| {
            let at = place(&review, number).start + 8;
            typed(&mut review, at);
        });
        let outside = timed(200, |number| {
            let at = place(&review, number).end + 70;
            typed(&mut review, at);
        });
        let beside = timed(200, |number| {
            let at = place(&review, number).end + 4;
            typed(&mut review, at);
        });
        println!("  keystroke: {within:?} in a hunk, {outside:?} outside, {beside:?} in the line below one");
        println!("  first 100 shown in {:?}", timed(20, |_| drop(review.view_hunks(0..100))));
        println!("  all shown in {:?}", timed(1, |_| drop(review.view_hunks(0..usize::MAX))));
        let one = timed(100, |number| {
            let decision = review.all_decisions().swap_remove(number);
            let mut review = review.clone();
            assert_eq!(review.keep(&[decision]).errors, []);
        });
        println!("  one of all listed, cloned and kept in {one:?}");
        let mut all = review.clone();
        println!("  all kept in {:?}", timed(1, |_| drop(all.keep(&all.all_decisions()))));
        let mut all = review.clone();
        let rejected = timed(1, |_| {
            let change = all.reject(&all.all_decisions()).change;
            all.record_rejection(&change).unwrap();
        });
        println!("  all rejected in {rejected:?}");
        let saved = review.to_saved();
        let live = review.text().replace("compute(5);", "compute(55);");
        println!("  restored in {:?}", timed(1, |_| drop(Review::restore(saved.clone(), &live).unwrap())));
    }
    let big: String = (0..100_000).map(|number| format!("line {number}\n")).collect();
    let mut created = Review::for_created_file(&big, "call");
    let within = timed(200, |number| typed(&mut created, 5000 + number * 100));
    let end = timed(200, |_| {
        let at = created.text.len();
        typed(&mut created, at);
    });
    println!("created file of 100000 lines, keystroke: {within:?} within, {end:?} at its end");
}
