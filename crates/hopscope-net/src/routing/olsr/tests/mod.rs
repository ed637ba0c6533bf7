mod exchange;
mod graph;
mod links;
mod quality;
mod views;
