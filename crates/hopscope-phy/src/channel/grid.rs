//! Uniform grid over node positions: all nodes within a range of a point without looking at the rest.

/// Square cells over a field.
#[derive(Debug)]
pub struct Raster {
    cell: f64,
    low: [f64; 2],
    high: [f64; 2],
    columns: usize,
    rows: usize,
}

/// More cells than this many times the number of nodes are never made: sparse fields get wider cells.
const CELLS_PER_NODE: f64 = 4.0;
/// Allowance for rounding of coordinates, in metres.
const ROUNDING: f64 = 1e-6;

impl Raster {
    /// Cells at least `range` metres wide that cover `positions` and a `margin` around them, in parts of their extent.
    pub fn new(positions: &[[f64; 2]], range: f64, margin: f64) -> Self {
        let fold =
            |axis: usize, pick: fn(f64, f64) -> f64, start: f64| positions.iter().map(|p| p[axis]).fold(start, pick);
        let (mut low, mut high) = ([0.0; 2], [0.0; 2]);
        for axis in 0..2 {
            (low[axis], high[axis]) = (fold(axis, f64::min, f64::INFINITY), fold(axis, f64::max, f64::NEG_INFINITY));
            if margin > 0.0 {
                // Nodes in a line have no extent across it.
                let more = margin * (high[axis] - low[axis]).max(range);
                (low[axis], high[axis]) = (low[axis] - more, high[axis] + more);
            }
        }
        let (width, height) = ((high[0] - low[0]).max(0.0), (high[1] - low[1]).max(0.0));
        let limit = CELLS_PER_NODE * positions.len() as f64 + 1.0;
        let mut cell = range.max(1e-6);
        // A field that is large for its range would have more cells than nodes, all but a few of them empty.
        while (width / cell + 1.0) * (height / cell + 1.0) > limit {
            cell *= 2.0;
        }
        Raster { cell, low, high, columns: (width / cell) as usize + 1, rows: (height / cell) as usize + 1 }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// True for a position that the cells cover. Others count to the cell nearest to them.
    pub fn covers(&self, position: &[f64; 2]) -> bool {
        (0..2).all(|axis| (self.low[axis]..=self.high[axis]).contains(&position[axis]))
    }

    /// The cell of a position.
    fn cell_of(&self, position: &[f64; 2]) -> usize {
        self.row(position[1]) * self.columns + self.column(position[0])
    }

    /// The cells of all positions within `range` metres of `position` on both axes, row by row.
    pub fn around(&self, position: &[f64; 2], range: f64) -> impl Iterator<Item = usize> + '_ {
        let range = range + ROUNDING;
        let columns = self.column(position[0] - range)..=self.column(position[0] + range);
        let rows = self.row(position[1] - range)..=self.row(position[1] + range);
        rows.flat_map(move |row| columns.clone().map(move |column| row * self.columns + column))
    }

    fn column(&self, x: f64) -> usize {
        self.place(x - self.low[0], self.columns)
    }

    fn row(&self, y: f64) -> usize {
        self.place(y - self.low[1], self.rows)
    }

    fn place(&self, offset: f64, count: usize) -> usize {
        ((offset / self.cell).max(0.0) as usize).min(count - 1)
    }
}

/// Square of the distance between two positions, metres^2.
#[inline(always)]
pub(super) fn squared(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (a[0] - b[0], a[1] - b[1]);
    dx * dx + dy * dy
}

/// Nodes that stay, sorted into cells.
#[derive(Debug)]
pub struct Grid {
    raster: Raster,
    /// Start of each cell in `members`, one more entry than cells.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Grid {
    /// Sorts `positions` (metres) into cells at least `range` metres wide.
    pub fn new(positions: &[[f64; 2]], range: f64) -> Self {
        let raster = Raster::new(positions, range, 0.0);
        let mut starts = vec![0; raster.cells() + 1];
        let mut members = vec![0; positions.len()];
        let cells: Vec<usize> = positions.iter().map(|p| raster.cell_of(p)).collect();
        // A counting sort: the nodes of a cell lie together in order of their numbers, and no cell needs a list of
        // its own.
        for &cell in &cells {
            starts[cell + 1] += 1;
        }
        for cell in 0..raster.cells() {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        for (node, &cell) in cells.iter().enumerate() {
            members[next[cell] as usize] = node as u32;
            next[cell] += 1;
        }
        Grid { raster, starts, members }
    }

    /// The nodes of all cells within `range` metres of `position`.
    pub fn around(&self, position: &[f64; 2], range: f64) -> impl Iterator<Item = u32> + '_ {
        let members = |cell: usize| &self.members[self.starts[cell] as usize..self.starts[cell + 1] as usize];
        self.raster.around(position, range).flat_map(members).copied()
    }
}

/// Nodes sorted into cells that a search empties: it meets each node until it takes it out.
#[derive(Debug)]
pub struct DrainingGrid {
    grid: Grid,
    /// How many of the members of each cell are left, those at its beginning.
    left: Vec<u32>,
    /// Cells that are not full.
    touched: Vec<u32>,
}

impl DrainingGrid {
    /// Sorts `positions` (metres) into cells at least `range` metres wide, all full.
    pub fn new(positions: &[[f64; 2]], range: f64) -> Self {
        let grid = Grid::new(positions, range);
        let left = grid.starts.windows(2).map(|of| of[1] - of[0]).collect();
        DrainingGrid { grid, left, touched: Vec::new() }
    }

    /// Takes out of the cells within `range` metres of `position` the nodes of which `take` says so.
    pub fn take(&mut self, position: &[f64; 2], range: f64, mut take: impl FnMut(u32) -> bool) {
        let DrainingGrid { grid, left, touched } = self;
        for cell in grid.raster.around(position, range) {
            let start = grid.starts[cell] as usize;
            let full = grid.starts[cell + 1] - grid.starts[cell];
            let members = &mut grid.members[start..start + left[cell] as usize];
            let (mut at, mut end) = (0, members.len());
            while at < end {
                if take(members[at]) {
                    end -= 1;
                    members.swap(at, end);
                } else {
                    at += 1;
                }
            }
            // Once for each cell, as `refill` goes over them all.
            if left[cell] == full && (end as u32) < full {
                touched.push(cell as u32);
            }
            left[cell] = end as u32;
        }
    }

    /// Fills all cells again, in the time that emptying them took.
    pub fn refill(&mut self) {
        let DrainingGrid { grid, left, touched } = self;
        for cell in touched.drain(..).map(|cell| cell as usize) {
            left[cell] = grid.starts[cell + 1] - grid.starts[cell];
        }
    }
}

/// Nodes that move, sorted into cells, each of which knows when a node last came, left or moved there.
#[derive(Debug)]
pub struct Moving {
    raster: Raster,
    range: f64,
    members: Vec<Vec<u32>>,
    changed: Vec<u64>,
}

/// Room around the nodes that move, in parts of their extent: each time one leaves it, it grows with them.
const MARGIN: f64 = 0.5;

impl Moving {
    /// Sorts `positions` (metres) into cells at least `range` metres wide; all of them have changed at `epoch`.
    pub fn new(positions: &[[f64; 2]], range: f64, epoch: u64) -> Self {
        let raster = Raster::new(positions, range, MARGIN);
        let mut members = vec![Vec::new(); raster.cells()];
        for (node, position) in positions.iter().enumerate() {
            members[raster.cell_of(position)].push(node as u32);
        }
        Moving { changed: vec![epoch; members.len()], raster, range, members }
    }

    /// A node has moved from `from` to its place among `positions`, at `epoch`.
    pub fn moved(&mut self, node: u32, from: &[f64; 2], positions: &[[f64; 2]], epoch: u64) {
        let to = &positions[node as usize];
        if !self.raster.covers(to) {
            *self = Moving::new(positions, self.range, epoch);
            return;
        }
        let (old, new) = (self.raster.cell_of(from), self.raster.cell_of(to));
        (self.changed[old], self.changed[new]) = (epoch, epoch);
        if old != new {
            let place =
                self.members[old].iter().position(|&n| n == node).expect("a node is in the cell of its position");
            // In any order: who asks for nodes sorts them by distance.
            self.members[old].swap_remove(place);
            self.members[new].push(node);
        }
    }

    /// The last change of a cell within `range` metres of `position`.
    pub fn changed(&self, position: &[f64; 2], range: f64) -> u64 {
        self.raster.around(position, range).map(|cell| self.changed[cell]).max().unwrap_or(0)
    }

    /// The nodes of all cells within `range` metres of `position`.
    pub fn around(&self, position: &[f64; 2], range: f64) -> impl Iterator<Item = u32> + '_ {
        self.raster.around(position, range).flat_map(|cell| &self.members[cell]).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::{Purpose, Stream};

    /// Goes outwards from node 0 over hops of at most `range` metres: how many nodes it met, and how many it looked at.
    fn search(cells: &mut DrainingGrid, positions: &[[f64; 2]], range: f64) -> (usize, usize) {
        let (mut met, mut next, mut queue) = (vec![0], 0, 0);
        cells.take(&positions[0], 0.0, |node| node == 0);
        while let Some(&node) = met.get(next) {
            let here = positions[node as usize];
            next += 1;
            cells.take(&here, range, |other| {
                queue += 1;
                let there = positions[other as usize];
                let is_near = (here[0] - there[0]).hypot(here[1] - there[1]) <= range;
                met.extend(is_near.then_some(other));
                is_near
            });
        }
        (met.len(), queue)
    }

    #[test]
    fn a_search_in_a_crowd_looks_at_few_of_its_links_and_can_be_repeated() {
        let mut stream = Stream::derive(9, 0, 0, Purpose::Placement);
        let positions: Vec<[f64; 2]> =
            (0..3000).map(|_| [stream.uniform() * 900.0, stream.uniform() * 300.0]).collect();
        let links = |node: &[f64; 2]| {
            positions.iter().filter(|other| (node[0] - other[0]).hypot(node[1] - other[1]) <= 250.0).count()
        };
        let links: usize = positions.iter().map(links).sum();
        let mut cells = DrainingGrid::new(&positions, 250.0);
        let (met, queue) = search(&mut cells, &positions, 250.0);
        assert_eq!(met, 3000);
        assert!(20 * queue < links, "{queue} looks at {links} links");
        assert_eq!(search(&mut cells, &positions, 250.0).0, 1, "the cells are empty");
        cells.refill();
        assert_eq!(search(&mut cells, &positions, 250.0).0, 3000);
    }
}
