//! The learning curve as a picture.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::checkpoint::Epoch;

/// Training and held-out loss by epoch.
pub fn svg(epochs: &[Epoch]) -> Result<String> {
    let mut text = String::new();
    draw(epochs, &mut text).map_err(|error| anyhow!("can't draw the learning curve: {error}"))?;
    Ok(text)
}

fn draw(epochs: &[Epoch], text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let values = || epochs.iter().flat_map(|epoch| [epoch.train, epoch.held_out]);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let margin = ((high - low) * 0.05).max(1e-6);
    let root = SVGBackend::with_string(text, (800, 450)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Loss by epoch", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(70)
        .build_cartesian_2d(1f64..(epochs.len().max(2) as f64), low - margin..high + margin)?;
    chart
        .configure_mesh()
        .x_desc("epoch")
        .y_desc("mean squared error")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.4}"))
        .draw()?;
    for (name, colour, value) in [
        ("training", BLUE, (|epoch| epoch.train) as fn(&Epoch) -> f64),
        ("held-out games", RED, |epoch| epoch.held_out),
    ] {
        let points = epochs.iter().enumerate().map(|(i, epoch)| (i as f64 + 1.0, value(epoch)));
        chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?.label(name).legend(
            move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], colour.stroke_width(2)),
        );
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_drawn_from_one_epoch_on() {
        let epoch = |loss| Epoch { train: loss, held_out: loss * 1.1 };
        for epochs in [vec![epoch(0.1)], (1..9).map(|i| epoch(0.1 / f64::from(i))).collect()] {
            let text = svg(&epochs).expect("a drawing");
            assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        }
    }
}
