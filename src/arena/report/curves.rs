//! Curves of the report as SVG: the score, the sequential test, the use of the clocks.

use plotters::prelude::*;

use crate::arena::stats::Counts;
use crate::arena::tournament::Config;
use crate::arena::tournament::schedule::{Encounter, block_size};
use crate::arena::tournament::score::Results;

const SIZE: (u32, u32) = (720, 280);

/// A curve with its name.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

/// Every curve there is something to show for, with its caption.
pub fn all(config: &Config, results: &Results) -> Vec<(&'static str, String)> {
    let mut curves = Vec::new();
    if config.teams.len() == 2 {
        curves.push(("Score of the first side, game by game", score(config, results)));
        if config.sprt.is_some() {
            curves
                .push(("Log-likelihood ratio of the SPRT, block by block", sprt(config, results)));
        }
    }
    curves.push(("Time left on the clocks, seconds, mean by move", clocks(config, results)));
    curves.retain(|(_, svg)| !svg.is_empty());
    curves
}

fn score(config: &Config, results: &Results) -> String {
    let mut points = Vec::new();
    let (mut half, mut games) = (0usize, 0usize);
    for game in results.games.values() {
        half += if game.first == 0 { game.half_points } else { 2 - game.half_points };
        games += 1;
        points.push((games as f64, half as f64 / (2 * games) as f64));
    }
    let line = Line { name: config.teams[0].name.clone(), points };
    draw(&[line], Some((0.0, 1.0)), &[0.5])
}

fn sprt(config: &Config, results: &Results) -> String {
    let Some(sprt) = &config.sprt else { return String::new() };
    let size = block_size(config, &Encounter { round: 1, first: 0, second: 1 });
    let mut counts = Counts::new(size);
    let mut points = vec![(0.0, 0.0)];
    for half in results.blocks(config, 0, 1) {
        counts.add(half);
        points.push((counts.blocks() as f64, sprt.judge(&counts).0));
    }
    let (lower, upper) = sprt.bounds();
    let line = Line { name: "LLR".to_string(), points };
    draw(&[line], Some((lower * 1.15, upper * 1.15)), &[lower, upper])
}

/// Mean time left by move number, for every side.
fn clocks(config: &Config, results: &Results) -> String {
    let mut lines = Vec::new();
    for (side, team) in config.teams.iter().enumerate() {
        let mut sums: Vec<(f64, f64)> = Vec::new();
        for game in results.games.values().filter(|g| g.first == side || g.second == side) {
            // Team one sits on the first and the last seat, or has White.
            let one = (game.first == side) == game.first_is_one;
            let mut made = [0usize; 4];
            for mv in &game.moves {
                let (seat, left) = (mv.0.min(3), mv.3 as f64 / 1000.0);
                if matches!(seat, 0 | 3) == one {
                    if sums.len() <= made[seat] {
                        sums.push((0.0, 0.0));
                    }
                    if let Some(sum) = sums.get_mut(made[seat]) {
                        sum.0 += left;
                        sum.1 += 1.0;
                    }
                    made[seat] += 1;
                }
            }
        }
        let mean = |(i, (sum, n)): (usize, &(f64, f64))| ((i + 1) as f64, sum / n.max(1.0));
        lines.push(Line {
            name: team.name.clone(),
            points: sums.iter().enumerate().map(mean).collect(),
        });
    }
    lines.truncate(8);
    draw(&lines, None, &[])
}

const COLORS: [RGBColor; 8] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
    RGBColor(255, 127, 14),
    RGBColor(23, 190, 207),
    RGBColor(127, 127, 127),
    RGBColor(188, 189, 34),
];

/// Lines on one pair of axes; `marks` are horizontal lines. Nothing to draw gives nothing.
fn draw(lines: &[Line], range: Option<(f64, f64)>, marks: &[f64]) -> String {
    let all = || lines.iter().flat_map(|line| line.points.iter());
    let right = all().map(|p| p.0).fold(0.0, f64::max);
    if right <= 1.0 {
        return String::new();
    }
    let (low, high) = range.unwrap_or((0.0, all().map(|p| p.1).fold(0.0, f64::max) * 1.05 + 0.01));
    let reached = all().map(|p| p.1).fold((low, high), |(a, b), y| (a.min(y), b.max(y)));
    let mut svg = String::new();
    let drawn = plot(&mut svg, lines, right, reached, marks);
    if drawn.is_err() {
        return String::new();
    }
    // The page scales it to its width.
    svg.find("<svg").map_or(String::new(), |at| {
        svg[at..].replacen(
            &format!("width=\"{}\" height=\"{}\"", SIZE.0, SIZE.1),
            "role=\"img\"",
            1,
        )
    })
}

fn plot(
    svg: &mut String,
    lines: &[Line],
    right: f64,
    (low, high): (f64, f64),
    marks: &[f64],
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .margin_right(24)
        .x_label_area_size(24)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..right, low..high)?;
    chart.configure_mesh().x_labels(8).y_labels(6).light_line_style(TRANSPARENT).draw()?;
    for mark in marks {
        chart.draw_series(LineSeries::new([(0.0, *mark), (right, *mark)], &BLACK.mix(0.5)))?;
    }
    for (line, color) in lines.iter().zip(COLORS.iter().cycle()) {
        let series = LineSeries::new(line.points.iter().copied(), color.stroke_width(2));
        let color = *color;
        chart
            .draw_series(series)?
            .label(line.name.chars().take(24).collect::<String>())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(TRANSPARENT)
        .position(SeriesLabelPosition::LowerLeft)
        .draw()?;
    root.present()?;
    Ok(())
}
