//! How much memory a table may take.

use std::fs;

/// Where the system does not tell, nothing larger than this is tried.
const UNKNOWN_MB: usize = 1 << 20;

/// Mebibytes that can be had now without pushing the system to its limit.
pub(super) fn available_mb() -> usize {
    let free = meminfo_kb().map_or(UNKNOWN_MB, |kb| kb >> 10);
    let group = group_room_mb().unwrap_or(UNKNOWN_MB);
    // A little is left for everything else.
    (free.min(group) / 20 * 19).max(1)
}

fn meminfo_kb() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Room left in a container's limit.
fn group_room_mb() -> Option<usize> {
    let read = |name: &str| -> Option<usize> {
        fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    let limit = read("memory.max")?;
    Some(limit.saturating_sub(read("memory.current")?) >> 20)
}
