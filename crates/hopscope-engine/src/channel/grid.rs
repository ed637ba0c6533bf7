//! Uniform grid over node positions: all nodes within a range of a point without looking at the rest.

/// Nodes sorted into square cells as wide as the largest range of interest.
#[derive(Debug)]
pub struct Grid {
    cell: f64,
    origin: [f64; 2],
    columns: usize,
    rows: usize,
    /// Start of each cell in `members`, one more entry than cells.
    starts: Vec<u32>,
    members: Vec<u32>,
}

/// More cells than this many times the number of nodes are never made: sparse fields get wider cells.
const CELLS_PER_NODE: f64 = 4.0;

impl Grid {
    /// Sorts `positions` (metres) into cells at least `range` metres wide.
    pub fn new(positions: &[[f64; 2]], range: f64) -> Self {
        let fold =
            |axis: usize, pick: fn(f64, f64) -> f64, start: f64| positions.iter().map(|p| p[axis]).fold(start, pick);
        let (min_x, max_x) = (fold(0, f64::min, f64::INFINITY), fold(0, f64::max, f64::NEG_INFINITY));
        let (min_y, max_y) = (fold(1, f64::min, f64::INFINITY), fold(1, f64::max, f64::NEG_INFINITY));
        let (width, height) = ((max_x - min_x).max(0.0), (max_y - min_y).max(0.0));
        let limit = CELLS_PER_NODE * positions.len() as f64 + 1.0;
        let mut cell = range.max(1e-6);
        while (width / cell + 1.0) * (height / cell + 1.0) > limit {
            cell *= 2.0;
        }
        let columns = (width / cell) as usize + 1;
        let rows = (height / cell) as usize + 1;
        let mut grid = Grid {
            cell,
            origin: [min_x, min_y],
            columns,
            rows,
            starts: vec![0; columns * rows + 1],
            members: vec![0; positions.len()],
        };
        let cells: Vec<usize> = positions.iter().map(|p| grid.cell_of(p)).collect();
        for &c in &cells {
            grid.starts[c + 1] += 1;
        }
        for c in 0..columns * rows {
            grid.starts[c + 1] += grid.starts[c];
        }
        let mut next = grid.starts.clone();
        for (node, &c) in cells.iter().enumerate() {
            grid.members[next[c] as usize] = node as u32;
            next[c] += 1;
        }
        grid
    }

    /// Calls `visit` for every node in the nine cells around `position`, in the order of cells, then of nodes.
    pub fn around(&self, position: &[f64; 2], mut visit: impl FnMut(u32)) {
        let (column, row) = self.place(position);
        for r in row.saturating_sub(1)..=(row + 1).min(self.rows - 1) {
            for c in column.saturating_sub(1)..=(column + 1).min(self.columns - 1) {
                let cell = r * self.columns + c;
                for &node in &self.members[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                    visit(node);
                }
            }
        }
    }

    fn place(&self, position: &[f64; 2]) -> (usize, usize) {
        let at = |axis: usize, count: usize| {
            (((position[axis] - self.origin[axis]) / self.cell).max(0.0) as usize).min(count - 1)
        };
        (at(0, self.columns), at(1, self.rows))
    }

    fn cell_of(&self, position: &[f64; 2]) -> usize {
        let (column, row) = self.place(position);
        row * self.columns + column
    }
}
