mod exchange;
mod graph;
mod links;
mod views;
